// SPDX-License-Identifier: Apache-2.0
// Reads the extents of rows from the types of pointers.
#include "relayout/instrument/clang/row_extents.h"

#include "relayout/instrument/clang/pointer_containers.h"
#include "relayout/instrument/clang/scalar_records.h"

#include <clang/AST/ASTContext.h>

namespace relayout::instrument {

using clang::dyn_cast;

std::optional<std::vector<std::uint64_t>> rowExtentsOf(clang::QualType pointer) {
  const clang::QualType held = pointerHeldBy(pointer);
  clang::QualType type = held.isNull() ? pointer.getNonReferenceType() : held;
  while (true) {
    const clang::ArrayType *array = type->getAsArrayTypeUnsafe();
    const clang::QualType inner = type->isPointerType() ? type->getPointeeType()
                                  : array               ? array->getElementType()
                                                        : clang::QualType();
    if (inner.isNull())
      return std::nullopt;
    type = inner;
    if (!clang::QualType(type->getBaseElementTypeUnsafe(), 0)->isPointerType())
      break;
  }
  std::vector<std::uint64_t> extents;
  for (; const clang::ArrayType *array = type->getAsArrayTypeUnsafe();
       type = array->getElementType()) {
    const auto *constant = dyn_cast<clang::ConstantArrayType>(array);
    if (!constant)
      return std::nullopt;
    extents.push_back(constant->getSize().getZExtValue());
  }
  return extents;
}

std::optional<std::vector<std::uint64_t>> rowExtentsOf(const ArrayGroup &group) {
  std::optional<std::vector<std::uint64_t>> all;
  for (const clang::ValueDecl *declaration : group.declarations) {
    const auto *function = dyn_cast<clang::FunctionDecl>(declaration);
    const clang::QualType type = function ? function->getReturnType() : declaration->getType();
    if (type->isReferenceType() && elementRecordOf(type.getNonReferenceType()))
      continue;
    std::optional<std::vector<std::uint64_t>> own = rowExtentsOf(type);
    if (!own || (all && *all != *own))
      return std::nullopt;
    all = std::move(own);
  }
  return all;
}

} // namespace relayout::instrument
