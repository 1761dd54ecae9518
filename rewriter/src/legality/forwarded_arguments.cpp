// SPDX-License-Identifier: Apache-2.0
// Reads templates that pass their arguments on.
#include "legality/forwarded_arguments.h"

#include "legality/library_functions.h"
#include "legality/overloads.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

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

/// Of `A`, `A &&`, `const A &` and packs of them, A.
const clang::TemplateTypeParmDecl *deducedAs(clang::QualType type) {
  if (const auto *pack = type->getAs<clang::PackExpansionType>())
    type = pack->getPattern();
  const auto *parameter = type.getNonReferenceType()->getAs<clang::TemplateTypeParmType>();
  return parameter ? parameter->getDecl() : nullptr;
}

/// Of `void (*kernel)(A...)`, its type; null for other parameters.
const clang::FunctionProtoType *functionTypeOf(const clang::ParmVarDecl &written) {
  const clang::QualType type = written.getType().getNonReferenceType();
  const clang::QualType pointee = type->isPointerType() ? type->getPointeeType() : type;
  return pointee->getAs<clang::FunctionProtoType>();
}

/// The template's parameters that an argument for this one decides: of `A &&arg` and
/// `void (*kernel)(A...)`, A. Empty where another may have a say.
std::vector<const clang::TemplateTypeParmDecl *> decidedBy(const clang::ParmVarDecl &written) {
  std::vector<const clang::TemplateTypeParmDecl *> decided;
  if (const clang::TemplateTypeParmDecl *type = deducedAs(written.getType()))
    decided.push_back(type);
  const clang::FunctionProtoType *function = functionTypeOf(written);
  if (!function || function->getReturnType()->isDependentType())
    return decided;
  for (const clang::QualType parameter : function->param_types())
    if (const clang::TemplateTypeParmDecl *type = deducedAs(parameter))
      decided.push_back(type);
    else if (parameter->isDependentType())
      return {};
  return decided;
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

/// Whether the arguments for parameters of the template alone decide on a type: it is named in no
/// other place, and by one parameter at most that is no function.
bool isDecidedByArguments(const clang::FunctionTemplateDecl &primary,
                          const clang::TemplateTypeParmDecl &type) {
  Mentions all(type);
  all.TraverseDecl(const_cast<clang::FunctionTemplateDecl *>(&primary));
  unsigned objects = 0, deciding = 0;
  for (clang::ParmVarDecl *written : primary.getTemplatedDecl()->parameters()) {
    Mentions here(type);
    here.TraverseDecl(written);
    if (here.count > 0 && decidedBy(*written).empty())
      return false;
    deciding += here.count;
    objects += functionTypeOf(*written) ? 0 : here.count;
  }
  return all.count == deciding && objects <= 1;
}

/// An instance's parameter whose type is deduced from the arguments, at all calls. What a template
/// of another unit does with it is that unit's to tell.
/// \returns  the arguments for it; empty where that is not so
std::vector<const clang::Expr *> argumentsFor(const Program &program,
                                              const clang::ParmVarDecl &parameter) {
  const auto *instance = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  const clang::FunctionTemplateDecl *primary = instance ? instance->getPrimaryTemplate() : nullptr;
  const unsigned index = parameter.getFunctionScopeIndex();
  const clang::ParmVarDecl *written = primary ? writtenParameter(*instance, index) : nullptr;
  if (!written || instance->getTemplateSpecializationKind() != clang::TSK_ImplicitInstantiation ||
      !hasOneMeaning(*primary->getTemplatedDecl()) || isDeclaredAlone(*instance))
    return {};
  const std::vector<const clang::TemplateTypeParmDecl *> types = decidedBy(*written);
  if (types.empty() || !std::ranges::all_of(types, [&](const auto *type) {
        return type->getDepth() == primary->getTemplateParameters()->getDepth() &&
               isDecidedByArguments(*primary, *type);
      }))
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

const clang::ParmVarDecl *parameterIn(const clang::Expr &expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
  return name ? dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
}

/// Templates that pass a kernel on to each other may do so without end.
constexpr unsigned kDeepest = 8;

bool isLaunched(const Program &program, const clang::ParmVarDecl &parameter, unsigned depth = 0);

/// What is done with a kernel that a parameter names, beside its launch. CUDA takes any, as in
/// `cudaFuncGetAttributes(&attributes, kernel)`.
bool isPassedOn(const Program &program, const clang::DeclRefExpr &use, unsigned depth) {
  const clang::CallExpr *call = takerOf(program, use);
  const clang::FunctionDecl *taker = call ? call->getDirectCallee() : nullptr;
  if (!taker)
    return false;
  for (unsigned i = 0; i < call->getNumArgs() && i < taker->getNumParams(); ++i)
    if (call->getArg(i)->IgnoreParenImpCasts() == &use)
      return runtimeName(program, *call).starts_with("cuda") ||
             isLaunched(program, *taker->getParamDecl(i), depth + 1);
  return false;
}

/// A parameter that kernels alone are given to, by their names or from such a parameter, and that
/// is only launched or passed on to one.
bool isLaunched(const Program &program, const clang::ParmVarDecl &parameter, unsigned depth) {
  const std::vector<const clang::Expr *> kernels = argumentsFor(program, parameter);
  return depth < kDeepest && !kernels.empty() &&
         std::ranges::all_of(
             kernels,
             [&](const clang::Expr *kernel) {
               if (const clang::DeclRefExpr *name = kernelIn(*kernel))
                 return hasOneMeaning(*clang::cast<clang::FunctionDecl>(name->getDecl()));
               const clang::ParmVarDecl *given = parameterIn(*kernel);
               return given && given != &parameter && !argumentsFor(program, *given).empty();
             }) &&
         std::ranges::all_of(
             program.index.referencesTo(&parameter), [&](const clang::DeclRefExpr *use) {
               return isa_and_nonnull<clang::CUDAKernelCallExpr>(callOf(program, *use)) ||
                      isPassedOn(program, *use, depth);
             });
}

/// `kernel`, where `void (*kernel)(A...)` declares the parameter, which has no name there.
const clang::ParmVarDecl *functionAround(const Program &program,
                                         const clang::ParmVarDecl &parameter) {
  return dyn_cast_or_null<clang::ParmVarDecl>(program.index.declaredWith(parameter));
}

/// Whether each kernel that decides on the parameter's type, too, is only launched.
bool agreesWithKernels(const Program &program, const clang::ParmVarDecl &parameter) {
  const auto *instance = clang::cast<clang::FunctionDecl>(parameter.getDeclContext());
  return std::ranges::all_of(instance->parameters(), [&](const clang::ParmVarDecl *other) {
    const clang::ParmVarDecl *written = writtenParameter(*instance, other->getFunctionScopeIndex());
    return !written || !functionTypeOf(*written) || decidedBy(*written).empty() ||
           isLaunched(program, *other);
  });
}

} // namespace

bool isForwarded(const Program &program, const clang::ValueDecl &declaration) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declaration);
  if (!parameter || !parameter->getType().getNonReferenceType()->isPointerType())
    return false;
  if (functionAround(program, *parameter))
    return isOfLaunchedKernel(program, *parameter);
  const std::vector<const clang::Expr *> arguments = argumentsFor(program, *parameter);
  // A cast would be dropped, and what is deduced would be another view.
  return !arguments.empty() && agreesWithKernels(program, *parameter) &&
         std::ranges::none_of(arguments,
                              [](const clang::Expr *argument) {
                                return isa<clang::ExplicitCastExpr>(
                                    argument->IgnoreParenImpCasts());
                              }) &&
         std::ranges::all_of(
             program.index.referencesTo(parameter),
             [&](const clang::DeclRefExpr *use) { return takerOf(program, *use) != nullptr; });
}

bool isOfLaunchedKernel(const Program &program, const clang::ValueDecl &declaration) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declaration);
  const clang::ParmVarDecl *kernel = parameter ? functionAround(program, *parameter) : nullptr;
  return kernel && isLaunched(program, *kernel);
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
