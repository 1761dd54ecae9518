// SPDX-License-Identifier: Apache-2.0
// Collects the calls of a unit's functions.
#include "pass/callers.h"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <array>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// What such a lambda is instantiated for is not walked.
bool isInGenericLambda(const Naming &naming) {
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(naming.function);
  return method && method->getParent()->isLambda() && method->getDescribedFunctionTemplate();
}

} // namespace

Callers::Callers(const Program &program) : program_(program) {
  for (const Naming &naming : program.index.namings())
    if (!naming.isDependent || isInGenericLambda(naming))
      addCall(naming);
  for (const Naming &naming : program.index.constructions()) {
    if (naming.isDependent && !isInGenericLambda(naming))
      continue;
    const auto *made = clang::cast<clang::CXXConstructExpr>(naming.expression);
    addLibrary(*made->getConstructor());
    Calls &calls = calls_[made->getConstructor()->getCanonicalDecl()];
    if (naming.function && !naming.isDependent)
      calls.all.push_back({made, naming.function});
    else
      calls.isNamedOtherwise = true;
  }
}

void Callers::addCall(const Naming &naming) {
  const clang::FunctionDecl *function = nullptr;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression))
    function = dyn_cast<clang::FunctionDecl>(name->getDecl());
  else if (const auto *member = dyn_cast<clang::MemberExpr>(naming.expression))
    function = dyn_cast<clang::FunctionDecl>(member->getMemberDecl());
  if (!function)
    return;
  addLibrary(*function);
  Calls &calls = calls_[function->getCanonicalDecl()];
  const clang::Stmt *current = naming.expression;
  const clang::Stmt *parent = program_.index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::ImplicitCastExpr>(parent)) {
    current = parent;
    parent = program_.index.parentOf(current).stmt;
  }
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  if (call && call->getCallee() == current && naming.function && !naming.isDependent)
    calls.all.push_back({call, naming.function});
  else if (!call || !runtimeName(program_, *call).starts_with("cudaFunc"))
    calls.isNamedOtherwise = true;
}

/// `std::make_unique<Buffer>(n)`, `std::vector<Buffer>::emplace_back(n)`.
void Callers::addLibrary(const clang::FunctionDecl &called) {
  constexpr std::array kPassesOn{"swap", "move", "forward", "exchange", "addressof"};
  if (isUsers(program_, called) ||
      (called.getDeclName().isIdentifier() && called.isInStdNamespace() &&
       std::ranges::find(kPassesOn, called.getName()) != kPassesOn.end()))
    return;
  if (const clang::TemplateArgumentList *arguments = called.getTemplateSpecializationArgs())
    addLibrary(arguments->asArray());
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&called);
  if (const auto *instance =
          method ? dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent()) : nullptr)
    addLibrary(instance->getTemplateArgs().asArray());
}

void Callers::addLibrary(llvm::ArrayRef<clang::TemplateArgument> arguments) {
  for (const clang::TemplateArgument &argument : arguments) {
    if (argument.getKind() == clang::TemplateArgument::Pack)
      addLibrary(argument.pack_elements());
    if (argument.getKind() != clang::TemplateArgument::Type)
      continue;
    const clang::CXXRecordDecl *record = argument.getAsType()->getAsCXXRecordDecl();
    if (!record || !inLibrary_.insert(record->getCanonicalDecl()).second)
      continue;
    if (const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(record))
      addLibrary(instance->getTemplateArgs().asArray());
  }
}

const std::vector<Callers::Call> *Callers::of(const clang::FunctionDecl &function) const {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  if ((!program_.isAlone && function.isExternallyVisible()) || function.isVariadic() ||
      function.isOverloadedOperator() || isa<clang::CXXConversionDecl>(function) ||
      (method && (method->isVirtual() || isInLibrary(*method->getParent()))))
    return nullptr;
  const auto entry = calls_.find(function.getCanonicalDecl());
  return entry == calls_.end() || entry->second.isNamedOtherwise ? nullptr : &entry->second.all;
}

} // namespace relayout::rewriter
