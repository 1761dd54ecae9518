// SPDX-License-Identifier: Apache-2.0
// Tells functions that compute from those that wait, write or have a state, by type and name.
#include "legality/library_functions.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

bool isMathematical(const clang::FunctionDecl &function) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  const bool isConstructor = isa<clang::CXXConstructorDecl>(function);
  if (!function.hasAttr<clang::CUDADeviceAttr>() && function.getBuiltinID() == 0 &&
      !function.isConstexpr())
    return false;
  const clang::QualType result = function.getReturnType();
  if (function.isVariadic() || result->isPointerType() ||
      (!isConstructor && (result->isVoidType() || (function.getNumParams() == 0 && !method))) ||
      (method && !isConstructor && !method->isConst() && !method->isStatic()))
    return false;
  for (const clang::ParmVarDecl *parameter : function.parameters()) {
    const clang::QualType type = parameter->getType();
    if (type->isPointerType() || type->isRValueReferenceType() ||
        (type->isReferenceType() && !type.getNonReferenceType().isConstQualified()))
      return false;
  }
  const std::string name = function.getNameAsString();
  for (const char *prefix :
       {"__sync", "__shfl", "__threadfence", "__nanosleep", "__barrier",    "__ballot",
        "__any",  "__all",  "__match",       "__reduce",    "__activemask", "__uni",
        "__prof", "clock",  "exit",          "abort",       "_Exit",        "quick_exit",
        "rand",   "srand",  "drand",         "cuda",        "sleep",        "usleep"})
    if (name.starts_with(prefix))
      return false;
  return !isAtomic(name);
}

bool isForwardCall(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  return callee && call.getNumArgs() == 1 && callee->isInStdNamespace() &&
         callee->getDeclName().isIdentifier() &&
         (callee->getName() == "forward" || callee->getName() == "move");
}

bool isReadOnlyLoad(const std::string &name) {
  return name.starts_with("__ldg") || name.starts_with("__ldc");
}

bool isAtomic(const std::string &name) {
  return name.starts_with("atomic") || name.starts_with("__nv_atomic_");
}

bool forgetsAddresses(const std::string &name) {
  if (isAtomic(name))
    return true;
  static constexpr std::array<std::string_view, 13> kResults = {
      "sincosf", "sincos",  "sincospif", "sincospi", "modff",  "modf",  "frexpf",
      "frexp",   "remquof", "remquo",    "scanf",    "fscanf", "sscanf"};
  for (const std::string_view known : kResults)
    if (name == known)
      return true;
  return name.starts_with("__stc") || name.starts_with("__stw");
}

bool holdsNoAddress(clang::QualType type) {
  type = type->getBaseElementTypeUnsafe()->getCanonicalTypeInternal();
  if (type->isArithmeticType() || type->isEnumeralType())
    return true;
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isPolymorphic())
    return false;
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (!holdsNoAddress(base.getType()))
      return false;
  return std::ranges::all_of(record->fields(), [](const clang::FieldDecl *field) {
    return holdsNoAddress(field->getType());
  });
}

} // namespace relayout::rewriter
