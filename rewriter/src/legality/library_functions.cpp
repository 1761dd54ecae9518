// SPDX-License-Identifier: Apache-2.0
// Tells functions that compute from those that wait, write or have a state, by type and name.
#include "legality/library_functions.h"

#include "relayout/base/cuda_calls.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

bool isMathematical(const clang::FunctionDecl &function) {
  if (function.getDeclName().isIdentifier() &&
      (function.getName() == "nan" || function.getName() == "nanf")) // read a string
    return true;
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
  // A pointer that is set before the call returns.
  const CudaCall *call = cudaCallNamed(name);
  return name.starts_with("__stc") || name.starts_with("__stw") ||
         (call && call->kind == CudaCallKind::Allocation);
}

bool endsProgram(const clang::FunctionDecl &callee) {
  static constexpr std::array<std::string_view, 4> kEnds = {"__assert_fail", "__assertfail",
                                                            "abort", "__trap"};
  return callee.getDeclName().isIdentifier() &&
         std::ranges::find(kEnds, std::string_view(callee.getName())) != kEnds.end();
}

bool changesItsState(const std::string &name, clang::QualType pointer) {
  const bool isOfDevice = name == "curand" || name == "curand4" || name.starts_with("curand_") ||
                          name.starts_with("skipahead"); // the host's: curandGenerate
  return isOfDevice && pointer->isPointerType() && pointer->getPointeeType()->isRecordType();
}

namespace {

/// Whether a class is made of the type, and of no references. What else a pair or tuple is made of
/// may be made of the type, and keep its address.
bool isMadeOf(const clang::ClassTemplateSpecializationDecl &made, clang::QualType given) {
  const bool mayKeep = made.getName() == "pair" || made.getName() == "tuple";
  bool isFound = false;
  std::vector<clang::TemplateArgument> arguments = made.getTemplateArgs().asArray().vec();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const clang::TemplateArgument argument = arguments[i];
    if (argument.getKind() == clang::TemplateArgument::Pack) // of a tuple
      arguments.insert(arguments.end(), argument.pack_begin(), argument.pack_end());
    if (argument.getKind() != clang::TemplateArgument::Type)
      continue;
    const clang::QualType type = argument.getAsType();
    if (type->isReferenceType())
      return false;
    const bool isSame = type.getCanonicalType().getUnqualifiedType() ==
                        given.getCanonicalType().getUnqualifiedType();
    if (mayKeep && !isSame && !holdsNoAddress(type))
      return false;
    isFound |= isSame;
  }
  return isFound;
}

} // namespace

bool isAccessor(const clang::FunctionDecl &callee) {
  // A map's subscript inserts what it does not find.
  static constexpr std::array<std::string_view, 7> kClasses = {
      "vector", "array", "deque", "span", "basic_string", "unique_ptr", "shared_ptr"};
  static constexpr std::array<std::string_view, 9> kAccessors = {
      "size", "empty", "data", "front", "back", "begin", "end", "get", "length"};
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  if (!method || !method->getParent()->isInStdNamespace() ||
      !method->getParent()->getIdentifier() ||
      std::ranges::find(kClasses, std::string_view(method->getParent()->getName())) ==
          kClasses.end())
    return false;
  if (method->isOverloadedOperator()) {
    const clang::OverloadedOperatorKind kind = method->getOverloadedOperator();
    return kind == clang::OO_Subscript || kind == clang::OO_Star || kind == clang::OO_Arrow;
  }
  return method->getDeclName().isIdentifier() &&
         std::ranges::find(kAccessors, std::string_view(method->getName())) != kAccessors.end();
}

bool keepsCopies(const clang::FunctionDecl &callee, clang::QualType given) {
  static constexpr std::array<std::string_view, 16> kClasses = {
      "pair",     "tuple",         "vector",        "deque",
      "list",     "forward_list",  "queue",         "stack",
      "map",      "multimap",      "set",           "multiset",
      "optional", "unordered_map", "unordered_set", "unordered_multimap"};
  static constexpr std::array<std::string_view, 11> kFunctions = {
      "push_back", "push_front", "push", "emplace_back", "emplace", "insert",
      "assign",    "at",         "find", "count",        "erase"};
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  const auto *made =
      method ? dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent()) : nullptr;
  if (!made || !made->isInStdNamespace() ||
      std::ranges::find(kClasses, std::string_view(made->getName())) == kClasses.end())
    return false;
  const bool isKnown =
      callee.getDeclName().isIdentifier()
          ? std::ranges::find(kFunctions, std::string_view(callee.getName())) != kFunctions.end()
          : callee.getOverloadedOperator() == clang::OO_Subscript; // a map's, of a key
  return (isKnown || isa<clang::CXXConstructorDecl>(callee)) && isMadeOf(*made, given);
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
