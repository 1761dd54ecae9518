// SPDX-License-Identifier: Apache-2.0
// Reads templates that pass their arguments on.
#include "legality/forwarded_arguments.h"

#include "legality/library_functions.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <iterator>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// How often a template names one of its parameters, `std::forward<A>` aside.
class Mentions : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Mentions(const clang::TemplateTypeParmDecl &parameter) : parameter_(parameter) {}

  bool VisitTemplateTypeParmTypeLoc(clang::TemplateTypeParmTypeLoc type) override {
    const clang::TemplateTypeParmType *named = type.getTypePtr();
    count +=
        named->getDepth() == parameter_.getDepth() && named->getIndex() == parameter_.getIndex();
    return true;
  }

  bool TraverseUnresolvedLookupExpr(clang::UnresolvedLookupExpr *name) override {
    return name->getName().getAsString() == "forward" ||
           clang::DynamicRecursiveASTVisitor::TraverseUnresolvedLookupExpr(name);
  }

  unsigned count = 0;

private:
  const clang::TemplateTypeParmDecl &parameter_;
};

/// The template's own declaration of an instance's parameter; of a pack, the pack.
const clang::ParmVarDecl *writtenParameter(const clang::FunctionDecl &instance, unsigned index) {
  const clang::FunctionDecl *pattern = instance.getTemplateInstantiationPattern();
  for (unsigned i = 0; pattern && i < pattern->getNumParams(); ++i) {
    const clang::ParmVarDecl *parameter = pattern->getParamDecl(i);
    if (parameter->isParameterPack())
      return i + 1 == pattern->getNumParams() ? parameter : nullptr;
    if (i == index)
      return parameter;
  }
  return nullptr;
}

/// Of `A... args`, `A &&arg` and `const A &arg`, A.
const clang::TemplateTypeParmDecl *deducedAs(const clang::ParmVarDecl &written) {
  clang::QualType type = written.getType();
  if (const auto *pack = type->getAs<clang::PackExpansionType>())
    type = pack->getPattern();
  const auto *parameter = type.getNonReferenceType()->getAs<clang::TemplateTypeParmType>();
  return parameter ? parameter->getDecl() : nullptr;
}

bool hasOneMeaning(const clang::FunctionDecl &function) {
  const auto known = function.getDeclContext()->getRedeclContext()->lookup(function.getDeclName());
  return std::distance(known.begin(), known.end()) == 1;
}

/// Template arguments that a call names may be numbers: those of pointers would be other types.
bool namesNumbersAlone(const clang::DeclRefExpr &name) {
  return std::ranges::all_of(name.template_arguments(), [](const auto &argument) {
    return argument.getArgument().getKind() == clang::TemplateArgument::Expression ||
           (argument.getArgument().getKind() == clang::TemplateArgument::Type &&
            argument.getArgument().getAsType()->isArithmeticType());
  });
}

/// `f` of `f(…)`; null where it is named for anything else.
const clang::CallExpr *callOf(const Program &program, const clang::Expr &name) {
  const clang::Stmt *current = &name;
  const clang::Stmt *parent = program.index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(parent)) {
    current = parent;
    parent = program.index.parentOf(current).stmt;
  }
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  return call && call->getCallee() == current ? call : nullptr;
}

/// What a call's argument is, for which the call is looked at: behind what passes it on unchanged.
const clang::CallExpr *takerOf(const Program &program, const clang::Expr &argument) {
  const clang::Stmt *current = &argument;
  while (true) {
    const clang::Stmt *parent = program.index.parentOf(current).stmt;
    const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
    if (call && !isForwardCall(*call))
      return call->getCallee() != current && !isa<clang::CXXOperatorCallExpr>(call) ? call
                                                                                    : nullptr;
    if (!call && !isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(parent))
      return nullptr;
    current = parent;
  }
}

/// An instance's parameter whose type is deduced from one argument, the same at all calls. What a
/// template of another unit does with it is that unit's to tell.
/// \returns  the arguments; empty where that is not so
std::vector<const clang::Expr *> argumentsFor(const Program &program,
                                              const clang::ParmVarDecl &parameter) {
  const auto *instance = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  const clang::FunctionTemplateDecl *primary = instance ? instance->getPrimaryTemplate() : nullptr;
  const unsigned index = parameter.getFunctionScopeIndex();
  const clang::ParmVarDecl *written = primary ? writtenParameter(*instance, index) : nullptr;
  const clang::TemplateTypeParmDecl *type = written ? deducedAs(*written) : nullptr;
  if (!type || instance->getTemplateSpecializationKind() != clang::TSK_ImplicitInstantiation ||
      type->getDepth() != primary->getTemplateParameters()->getDepth() ||
      !hasOneMeaning(*primary->getTemplatedDecl()) || isDeclaredAlone(*instance))
    return {};
  Mentions mentions(*type);
  mentions.TraverseDecl(const_cast<clang::FunctionTemplateDecl *>(primary));
  if (mentions.count > 1)
    return {};
  std::vector<const clang::Expr *> arguments;
  for (const Naming &naming : program.index.namings()) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
    if (!name || naming.isDependent ||
        name->getDecl()->getCanonicalDecl() != instance->getCanonicalDecl())
      continue;
    const clang::CallExpr *call = callOf(program, *name);
    if (!call || call->getNumArgs() <= index || !namesNumbersAlone(*name))
      return {};
    arguments.push_back(call->getArg(index));
  }
  return arguments;
}

/// The kernel that an expression names.
const clang::DeclRefExpr *kernelIn(const clang::Expr &expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
  const auto *function = name ? dyn_cast<clang::FunctionDecl>(name->getDecl()) : nullptr;
  return function && function->hasAttr<clang::CUDAGlobalAttr>() ? name : nullptr;
}

/// A parameter that kernels alone are given to, by their names, and that is only launched.
bool isLaunched(const Program &program, const clang::ParmVarDecl &parameter) {
  const std::vector<const clang::Expr *> kernels = argumentsFor(program, parameter);
  return !kernels.empty() &&
         std::ranges::all_of(
             kernels,
             [](const clang::Expr *kernel) {
               const clang::DeclRefExpr *name = kernelIn(*kernel);
               return name && hasOneMeaning(*clang::cast<clang::FunctionDecl>(name->getDecl()));
             }) &&
         std::ranges::all_of(
             program.index.referencesTo(&parameter), [&](const clang::DeclRefExpr *use) {
               return isa_and_nonnull<clang::CUDAKernelCallExpr>(callOf(program, *use));
             });
}

} // namespace

bool isForwarded(const Program &program, const clang::ValueDecl &declaration) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declaration);
  if (!parameter || !parameter->getType().getNonReferenceType()->isPointerType())
    return false;
  const std::vector<const clang::Expr *> arguments = argumentsFor(program, *parameter);
  // A cast would be dropped, and what is deduced would be another view.
  return !arguments.empty() &&
         std::ranges::none_of(arguments,
                              [](const clang::Expr *argument) {
                                return isa<clang::ExplicitCastExpr>(
                                    argument->IgnoreParenImpCasts());
                              }) &&
         std::ranges::all_of(
             program.index.referencesTo(parameter),
             [&](const clang::DeclRefExpr *use) { return takerOf(program, *use) != nullptr; });
}

bool launchesParameter(const Program &program, const clang::CallExpr &call) {
  const auto *name = isa<clang::CUDAKernelCallExpr>(call)
                         ? dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts())
                         : nullptr;
  const auto *parameter = name ? dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
  return parameter && isLaunched(program, *parameter);
}

bool isLaunchedByTemplate(const Program &program, const clang::DeclRefExpr &kernel) {
  const clang::CallExpr *call = takerOf(program, kernel);
  const clang::FunctionDecl *taker = call ? call->getDirectCallee() : nullptr;
  if (!taker || !kernelIn(kernel))
    return false;
  for (unsigned i = 0; i < call->getNumArgs() && i < taker->getNumParams(); ++i)
    if (kernelIn(*call->getArg(i)) == &kernel)
      return isLaunched(program, *taker->getParamDecl(i));
  return false;
}

} // namespace relayout::rewriter
