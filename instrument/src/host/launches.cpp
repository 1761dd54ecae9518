// SPDX-License-Identifier: Apache-2.0
// Lowering: launches, as calls of the CPU executor.
#include "host/launches.h"

#include "host/launch_tokens.h"
#include "host/lowering_edits.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;
using Index = TokenEdits::Index;

/// True when a type has a name that can be written anywhere in the file.
bool isSpellable(clang::QualType type) {
  class Search : public clang::DynamicRecursiveASTVisitor {
  public:
    bool VisitTagType(clang::TagType *tag) override {
      const clang::TagDecl *declaration = tag->getDecl();
      const auto *record = dyn_cast<clang::CXXRecordDecl>(declaration);
      spellable &= !(record && record->isLambda()) && !declaration->getParentFunctionOrMethod() &&
                   (declaration->getIdentifier() || declaration->getTypedefNameForAnonDecl());
      if (const auto *special = dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration))
        for (const clang::TemplateArgument &argument : special->getTemplateArgs().asArray())
          if (argument.getKind() == clang::TemplateArgument::Type)
            spellable &= isSpellable(argument.getAsType());
      return spellable;
    }
    bool spellable = true;
  } search;
  search.TraverseType(type.getCanonicalType());
  return search.spellable;
}

/// A variable or a member: a pointer to a kernel, of whatever type once templates are
/// instantiated.
bool holdsKernel(const clang::Expr *callee) {
  callee = callee->IgnoreParenImpCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(callee))
    return isa<clang::VarDecl>(name->getDecl());
  return isa<clang::MemberExpr>(callee);
}

/// True when the name alone does not say which function is meant.
bool needsSignature(const clang::FunctionDecl *kernel) {
  if (kernel->getPrimaryTemplate())
    return true;
  int candidates = 0;
  for (const clang::NamedDecl *same : kernel->getDeclContext()->lookup(kernel->getDeclName()))
    candidates += same->getAsFunction() != nullptr;
  return candidates > 1;
}

/// The headers of the executor may bring functions of that name, which a `using namespace` finds.
/// \param where  the name is written; declarations inside functions are none of the outermost scope
std::string fromOutermost(const clang::FunctionDecl &kernel, const std::string &callee,
                          clang::SourceLocation where) {
  const clang::SourceManager &sources = kernel.getASTContext().getSourceManager();
  const bool isVisible =
      std::ranges::any_of(kernel.redecls(), [&](const clang::FunctionDecl *declaration) {
        return declaration->getLexicalDeclContext()->getRedeclContext()->isTranslationUnit() &&
               sources.isBeforeInTranslationUnit(declaration->getLocation(), where);
      });
  return isVisible && callee == kernel.getName() ? "::" + callee : callee;
}

bool hasSpellableSignature(const clang::FunctionDecl *kernel) {
  for (const clang::ParmVarDecl *parameter : kernel->parameters())
    if (!isSpellable(parameter->getType()))
      return false;
  return true;
}

} // namespace

LaunchLowering::LaunchLowering(const ReadProgram &program, UnitReading &unit)
    : program_(program), read_(unit), edits_(*unit.host.edits),
      policy_(unit.host.unit->ast().getLangOpts()) {
  policy_.SuppressTagKeyword = false; // a variable may have the name of its struct
  policy_.FullyQualifiedName = true;
  policy_.SuppressUnwrittenScope = true; // namespaces without a name
}

bool LaunchLowering::lower(const clang::CUDAKernelCallExpr &launch) {
  const std::optional<LaunchTokens> tokens = launchTokens(edits_, launch);
  if (!tokens)
    return false;
  const auto &[first, open, end, close] = *tokens;
  if (!replaced_.insert(first).second)
    return true;
  const std::string callee = edits_.text(first, open - 1);
  const clang::FunctionDecl *kernel = launch.getDirectCallee();
  const FoundLaunch *found = nullptr;
  for (const FoundLaunch &known : read_.host.found.launches)
    if (known.call->getBeginLoc() == launch.getBeginLoc() && (!found || known.kernel))
      found = &known;
  const clang::FunctionDecl *pattern = found ? found->kernel : nullptr;
  const bool loops = pattern && !synchronises(program_, read_, pattern);
  const auto opening = [&](const char *executor) {
    return fmt::format("::relayout::host::{}({}, ::relayout::host::Threads::{}, "
                       "::relayout::host::LaunchShape(",
                       executor, stringLiteral(kernelName(pattern, callee)),
                       loops ? "Loop" : "Fibers");
  };
  const std::string separator = end + 2 == close ? "" : ", ";
  const bool isPointer = holdsKernel(launch.getCallee()) ||
                         (!kernel && !launch.isTypeDependent() && !launch.isValueDependent());
  const bool isDependent =
      !isPointer && (!kernel || launch.isTypeDependent() || launch.isInstantiationDependent());
  if (isDependent || (kernel && needsSignature(kernel) && !hasSpellableSignature(kernel))) {
    // Deduce the parameters' types as the launch itself does.
    edits_.replace(first, open, "[&](auto... relayoutArguments) { " + opening("launchThrough"));
    // GCC takes constants of the function around for captured ones, unless they may be.
    edits_.replace(end, end + 1,
                   fmt::format("), [&](auto... relayoutValues) {{ {}(relayoutValues...); }}, "
                               "relayoutArguments...); }}(",
                               callee));
    for (const clang::Expr *argument : launch.arguments())
      if (const clang::Expr *null = argument->IgnoreParenImpCasts(); isa<clang::GNUNullExpr>(null))
        if (const auto token = edits_.indexOf(null->getBeginLoc())) // deduced, NULL is a number
          edits_.replace(*token, *token, "nullptr");
    return true;
  }
  std::string function = callee;
  if (kernel)
    function = fmt::format("::relayout::host::Kernel<{}>()",
                           needsSignature(kernel)
                               ? fmt::format("static_cast<{}>(&{})", pointerTo(kernel), callee)
                               : "&" + fromOutermost(*kernel, callee, launch.getBeginLoc()));
  edits_.replace(first, open, opening("launch"));
  edits_.replace(end, end + 1, fmt::format("), {}{}", function, separator));
  return addDefaultArguments(launch, close);
}

/// The function that is called instead has none.
bool LaunchLowering::addDefaultArguments(const clang::CallExpr &call, Index close) {
  std::string defaults;
  for (const clang::Expr *argument : call.arguments())
    if (const auto *byDefault = dyn_cast<clang::CXXDefaultArgExpr>(argument)) {
      const auto begin = edits_.indexOf(byDefault->getExpr()->getBeginLoc());
      const auto last = edits_.indexOf(byDefault->getExpr()->getEndLoc());
      if (!begin || !last)
        return false;
      defaults += ", " + edits_.text(*begin, *last);
    }
  if (!defaults.empty())
    edits_.insertBefore(close, defaults);
  return true;
}

std::optional<LaunchLowering::NamedKernel>
LaunchLowering::kernelNamedBy(const clang::Expr &argument) const {
  const clang::Expr *kernel = argument.IgnoreParenCasts();
  if (const auto *address = dyn_cast<clang::UnaryOperator>(kernel);
      address && address->getOpcode() == clang::UO_AddrOf)
    kernel = address->getSubExpr()->IgnoreParenCasts();
  const auto *name = dyn_cast<clang::DeclRefExpr>(kernel);
  const clang::FunctionDecl *function =
      name ? dyn_cast<clang::FunctionDecl>(name->getDecl()) : nullptr;
  const clang::QualType type = kernel->getType();
  const bool isOfArgument = name && type->isDependentType(); // `template <class K> … K kernel`
  if (!function && !isa<clang::OverloadExpr>(kernel) && !type->isFunctionPointerType() &&
      !isOfArgument)
    return std::nullopt;
  const auto first = edits_.indexOf(kernel->getBeginLoc());
  const auto last = edits_.indexOf(kernel->getEndLoc());
  if (!first || !last)
    return std::nullopt;
  return NamedKernel{function ? patternOf(function) : nullptr,
                     isOfArgument || type->isFunctionPointerType(), *first, *last};
}

std::string LaunchLowering::nameAndThreads(const NamedKernel &kernel, bool needsFibers) const {
  const bool loops =
      kernel.pattern && !needsFibers && !synchronises(program_, read_, kernel.pattern);
  return fmt::format(
      "{}, ::relayout::host::Threads::{}",
      stringLiteral(kernelName(kernel.pattern, edits_.text(kernel.first, kernel.last))),
      loops ? "Loop" : "Fibers");
}

/// `cudaLaunchKernel((void *)kernel, …)`: the cast goes, for the type says what the arguments
/// are.
bool LaunchLowering::lower(const clang::CallExpr &call, Grid grid) {
  const bool isCooperative = grid == Grid::Cooperative;
  const std::optional<NamedKernel> kernel = kernelNamedBy(*call.getArg(0));
  const auto first = edits_.indexOf(call.getBeginLoc());
  const auto argument = edits_.indexOf(call.getArg(0)->getBeginLoc());
  const auto argumentEnd = edits_.indexOf(call.getArg(0)->getEndLoc());
  if (!kernel || !first || !argument || !argumentEnd)
    return false;
  if (!replaced_.insert(*first).second)
    return true;
  edits_.replace(*first, *argumentEnd,
                 fmt::format("::relayout::host::launchByPointers({}, "
                             "::relayout::host::Grid::{}, {}{}",
                             nameAndThreads(*kernel, isCooperative),
                             isCooperative ? "Cooperative" : "Plain", kernel->isPointer ? "" : "&",
                             edits_.text(kernel->first, kernel->last)));
  return true;
}

bool LaunchLowering::lowerConfigured(const clang::CallExpr &call, const std::string &callee) {
  constexpr unsigned kKernel = 1;
  if (call.getNumArgs() <= kKernel)
    return false;
  const clang::Expr &argument = *call.getArg(kKernel);
  const std::optional<NamedKernel> kernel = kernelNamedBy(argument);
  const auto first = edits_.indexOf(call.getBeginLoc());
  const auto configuration = edits_.indexOf(call.getArg(0)->getBeginLoc());
  const auto begin = edits_.indexOf(argument.getBeginLoc());
  const auto end = edits_.indexOf(argument.getEndLoc());
  if (!kernel || !first || !configuration || !begin || !end)
    return false;
  if (!replaced_.insert(*first).second)
    return true;
  const bool takesAddresses = callee == "cudaLaunchKernelExC";
  edits_.replace(*first, *configuration - 1,
                 fmt::format("::relayout::host::{}({}, ",
                             takesAddresses ? "launchByPointers" : "launchConfigured",
                             nameAndThreads(*kernel, /*needsFibers=*/false)));
  if (takesAddresses)
    edits_.replace(*begin, *end,
                   (kernel->isPointer ? "" : "&") + edits_.text(kernel->first, kernel->last));
  return true;
}

std::string LaunchLowering::registration(const clang::FunctionDecl *kernel) const {
  if (needsSignature(kernel) || !kernel->getDeclName().isIdentifier())
    return {};
  const clang::FunctionDecl *pattern = patternOf(kernel);
  return fmt::format(
      " static const ::relayout::host::PointedKernel relayoutKernel_{0}(&{3}{0}, {1}, "
      "::relayout::host::Threads::{2});",
      kernel->getName().str(), stringLiteral(kernelName(pattern, kernel->getName().str())),
      synchronises(program_, read_, pattern) ? "Fibers" : "Loop",
      kernel->getDeclContext()->getRedeclContext()->isTranslationUnit() ? "::" : "");
}

/// As the site table calls it.
std::string LaunchLowering::kernelName(const clang::FunctionDecl *pattern,
                                       const std::string &callee) const {
  if (!pattern)
    return callee;
  const trace::Index row = kernelOf(program_, read_, pattern);
  return row == trace::kNone ? functionName(pattern) : program_.model.sites.kernels[row].name;
}

std::string LaunchLowering::pointerTo(const clang::FunctionDecl *kernel) const {
  std::string text = "void (*)(";
  for (const clang::ParmVarDecl *parameter : kernel->parameters()) {
    if (text.back() != '(')
      text += ", ";
    text += parameter->getType().getCanonicalType().getUnqualifiedType().getAsString(policy_);
  }
  return text + ")";
}

} // namespace relayout::instrument
