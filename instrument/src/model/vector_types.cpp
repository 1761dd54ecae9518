// SPDX-License-Identifier: Apache-2.0
// Recognises CUDA's vector types by their names, in the executor's headers and the toolkit's.
#include "relayout/instrument/clang/vector_types.h"

#include <algorithm>
#include <array>

namespace relayout::instrument {

bool isVectorTypeName(llvm::StringRef name) {
  if (!name.consume_back("_16a")) // CUDA 13's double4 of two alignments
    (void)name.consume_back("_32a");
  if (name.empty() || name.back() < '2' || name.back() > '4')
    return false;
  static constexpr auto kComponents =
      std::to_array<llvm::StringRef>({"char", "uchar", "short", "ushort", "int", "uint", "long",
                                      "ulong", "longlong", "ulonglong", "float", "double"});
  return std::ranges::find(kComponents, name.drop_back()) != kComponents.end();
}

bool isVectorType(const clang::CXXRecordDecl &record) {
  return record.getIdentifier() && isVectorTypeName(record.getName()) &&
         record.getDeclContext()->getRedeclContext()->isTranslationUnit();
}

const clang::CXXRecordDecl *vectorTypeOf(clang::QualType type) {
  const clang::CXXRecordDecl *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  return record && isVectorType(*record) ? record : nullptr;
}

bool isVectorReference(const clang::ParmVarDecl &parameter) {
  return parameter.getType()->isLValueReferenceType() &&
         vectorTypeOf(parameter.getType().getNonReferenceType());
}

} // namespace relayout::instrument
