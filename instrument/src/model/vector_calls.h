// SPDX-License-Identifier: Apache-2.0
// The calls that give a Thrust vector elements of the host's or take its own, and its pointer.
#pragma once

#include "model/vector_notes.h"

#include <optional>

namespace relayout::instrument {

/// `d.data().get()`
/// \param macroUse  `RAW(d)`, where that is what a macro stands for
void readGet(VectorNotes &notes, const clang::CXXMemberCallExpr &call,
             const std::optional<clang::CharSourceRange> &macroUse);

/// `thrust::raw_pointer_cast(d.data())`, `(&d[i])` and `(&*d.begin())`.
/// \param macroUse  `RAW(d)`, where that is what a macro stands for
void readRawPointer(VectorNotes &notes, const clang::CallExpr &call,
                    const std::optional<clang::CharSourceRange> &macroUse);

/// `thrust::copy(begin, end, to)`, of which one side at least is a vector, as a statement.
void readCopy(VectorNotes &notes, const clang::CallExpr &call);

/// Of a vector.
void readConstruction(VectorNotes &notes, const clang::CXXConstructExpr &construction,
                      const clang::CXXRecordDecl *element);

/// `thrust::host_vector<R> h(d);`, `std::vector<R> v(d.begin(), d.end());`
void readHostConstruction(VectorNotes &notes, const clang::CXXConstructExpr &construction);

/// Makes two iterators of the host's pointers.
/// \returns  whether that is what they are
[[nodiscard]] bool editVectorRange(VectorNotes &notes, const clang::Expr &begin,
                                   const clang::Expr &end, const clang::CXXRecordDecl *element);

} // namespace relayout::instrument
