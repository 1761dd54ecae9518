// SPDX-License-Identifier: Apache-2.0
// Which types are Thrust's vectors in device memory, and which hold elements of the host's.
#pragma once

#include "relayout/instrument/clang/library_algorithms.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>

#include <set>
#include <string>

namespace relayout::instrument {

/// The definition of R of `thrust::device_vector<R>`, with Thrust's own allocator, or of a
/// reference to one; null for all other types.
[[nodiscard]] const clang::CXXRecordDecl *elementOfDeviceVector(clang::QualType type);

/// The same of `thrust::host_vector<R>`, `std::vector<R>` and `std::array<R, N>`: classes whose
/// elements lie side by side in memory of the host's.
[[nodiscard]] const clang::CXXRecordDecl *elementOfHostContainer(clang::QualType type);

/// `thrust::host_vector` of anything.
[[nodiscard]] bool isHostVectorOfThrust(clang::QualType type);

/// `thrust::device_ptr` of anything.
[[nodiscard]] bool isDevicePointer(clang::QualType type);

/// The definition of R of `thrust::device_ptr<R>`, of an iterator of a device vector, of const
/// elements as well, or of a reference to one; null for all other types.
[[nodiscard]] const clang::CXXRecordDecl *elementOfDeviceIterator(clang::QualType type);

/// Adds those of all iterators that a type is made of: `transform_iterator<F, I>` is of I.
void addIteratedElements(clang::QualType type, std::set<const clang::CXXRecordDecl *> &elements);

/// A pointer, or an iterator of memory that is the host's.
[[nodiscard]] bool isHostIterator(clang::QualType type);

/// "thrust::host_vector" or "std::vector" of one with the library's own allocator; otherwise empty.
[[nodiscard]] std::string nameOfHostVector(clang::QualType type);

} // namespace relayout::instrument
