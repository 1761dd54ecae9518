// SPDX-License-Identifier: Apache-2.0
// Iterators of Thrust's vectors, and `thrust::device_ptr`, which are read as pointers.
#pragma once

#include "model/code_around.h"
#include "model/vector_notes.h"

namespace relayout::instrument {

/// Judges one that is an expression of the program's: whether a pointer may stand in its place.
void readIterator(VectorNotes &notes, const CodeAround &around, const clang::Expr &iterator);

/// `thrust::device_pointer_cast(p)`, `thrust::raw_pointer_cast(q)`, and algorithms, which take
/// their policy from the iterators.
void readAlgorithm(VectorNotes &notes, const clang::CallExpr &call);

/// `thrust::copy(d.begin(), d.begin() + n, to)`, between the host's memory and the device's, as a
/// statement.
void readPartialCopy(VectorNotes &notes, const clang::CallExpr &call);

/// Between the parentheses of a host's vector, two iterators of the device's.
void readPartialConstruction(VectorNotes &notes, const clang::CXXConstructExpr &construction,
                             const std::string &host);

} // namespace relayout::instrument
