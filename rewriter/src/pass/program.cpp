// SPDX-License-Identifier: Apache-2.0
// Questions about declarations and calls that several parts of a pass ask.
#include "pass/program.h"

#include "relayout/instrument/clang/function_pointers.h"
#include "relayout/instrument/clang/scalar_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

bool isKeptReference(const Program &program, const clang::ValueDecl *declaration) {
  // A scalar has no parts that a layout could take apart.
  if (declaration->getType()->isReferenceType() &&
      instrument::scalarRecordOf(declaration->getType().getNonReferenceType()))
    return true;
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(declaration);
  return parameter && program.flow.takesValue(*parameter) &&
         !parameter->getType().getNonReferenceType().isVolatileQualified();
}

namespace {

/// `Body Body = bodies[i];`: in the function the record's name is a variable's.
bool isHiddenIn(const clang::DeclContext *user, const std::string &name) {
  const auto *function = dyn_cast_or_null<clang::FunctionDecl>(user);
  return function && std::ranges::any_of(function->decls(), [&](const clang::Decl *declared) {
           const auto *variable = dyn_cast<clang::VarDecl>(declared);
           return variable && variable->getDeclName().isIdentifier() && variable->getName() == name;
         });
}

} // namespace

std::string spelledFor(const Target &target, const std::string &name,
                       const clang::DeclContext *user) {
  if (name == target.shape.name && isHiddenIn(user, name))
    return fmt::format("{} {}", target.record->getKindName().str(), name);
  const clang::DeclContext *home =
      target.record->getDeclContext()->getEnclosingNamespaceContext()->getPrimaryContext();
  for (const clang::DeclContext *scope = user; scope; scope = scope->getParent())
    if (scope->getPrimaryContext() == home)
      return name;
  std::string qualified;
  for (const std::string &space : target.shape.namespaces)
    if (!space.empty())
      qualified += space + "::";
  return qualified + name;
}

std::optional<std::string> nameForRecord(const Program &program, const Target &target,
                                         std::string function) {
  function.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(function.front())));
  function.insert(0, target.names.lowerStem);
  const std::vector<std::string> taken = target.names.identifiers(target.layout);
  const clang::IdentifierTable &identifiers = program.unit.ast().Idents;
  if (identifiers.find(function) != identifiers.end() ||
      std::ranges::find(taken, function) != taken.end())
    return std::nullopt;
  return function;
}

bool isUsers(const Program &program, const clang::Decl &declaration) {
  const clang::SourceManager &sources = program.unit.sources();
  return declaration.getLocation().isValid() &&
         program.unit.isUserFile(
             sources.getFileID(sources.getExpansionLoc(declaration.getLocation())));
}

std::string runtimeName(const Program &program, const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !callee->getDeclName().isIdentifier() || isUsers(program, *callee))
    return {};
  return callee->getName().str();
}

namespace {

bool isStandard(const clang::CallExpr &call, llvm::StringRef name, unsigned arguments) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  const auto *written =
      clang::dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  return callee && callee->getDeclName().isIdentifier() && callee->getName() == name &&
         callee->isInStdNamespace() && call.getNumArgs() == arguments &&
         !(written && written->hasExplicitTemplateArgs()); // which name the pointer's type
}

} // namespace

bool isExchange(const clang::CallExpr &call) { return isStandard(call, "exchange", 2); }

bool isMove(const clang::CallExpr &call) { return isStandard(call, "move", 1); }

const clang::ParmVarDecl *parameterFor(const clang::CallExpr &call, const clang::Expr &argument) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  const unsigned objects =
      isa<clang::CXXOperatorCallExpr>(call) && method && method->isInstance() ? 1 : 0;
  const llvm::ArrayRef<clang::ParmVarDecl *> parameters =
      callee ? callee->parameters() : instrument::writtenParameters(*call.getCallee());
  for (unsigned i = objects; i < call.getNumArgs(); ++i)
    if (call.getArg(i) == &argument)
      return i - objects < parameters.size() ? parameters[i - objects] : nullptr;
  return nullptr;
}

bool namesArrays(const Program &program, const clang::Stmt *expression) {
  if (!expression)
    return false;
  const clang::ValueDecl *named = nullptr;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression))
    named = name->getDecl();
  else if (const auto *member = dyn_cast<clang::MemberExpr>(expression))
    named = member->getMemberDecl();
  else if (const auto *call = dyn_cast<clang::CallExpr>(expression))
    named = call->getDirectCallee();
  if (named && program.targetOf(named) && !isKeptReference(program, named))
    return true;
  return std::ranges::any_of(expression->children(),
                             [&](const clang::Stmt *child) { return namesArrays(program, child); });
}

std::string namespacesOf(const std::vector<std::string> &scopes) {
  std::string text;
  for (const std::string &scope : scopes)
    if (const std::size_t name = scope.rfind(' ') + 1;
        scope.find("namespace ") != std::string::npos && name < scope.size())
      text += scope.substr(name) + "::";
  return text;
}

} // namespace relayout::rewriter
