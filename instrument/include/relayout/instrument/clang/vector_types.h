// SPDX-License-Identifier: Apache-2.0
// CUDA's vector types: the records that programs use without defining them.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>

namespace relayout::instrument {

/// True for "float2" and the related names.
[[nodiscard]] bool isVectorTypeName(llvm::StringRef name);

/// True for float2 … double4 of CUDA's headers, which cuComplex and related types are other names
/// of; not for those of one component.
[[nodiscard]] bool isVectorType(const clang::CXXRecordDecl &record);

/// The definition of a vector type; null for every other type.
[[nodiscard]] const clang::CXXRecordDecl *vectorTypeOf(clang::QualType type);

/// A parameter `float3 &`, const or not: no array's layout reaches into the function.
[[nodiscard]] bool isVectorReference(const clang::ParmVarDecl &parameter);

} // namespace relayout::instrument
