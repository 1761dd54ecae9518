// SPDX-License-Identifier: Apache-2.0
// Finds the functions of a pointer's type that the program's own code names.
#include "legality/functions_behind.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <set>
#include <utility>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// A `__device__` variable of the only unit that may write it.
bool isOfUnit(const Program &program, const clang::Expr &pointer) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(pointer.IgnoreParenImpCasts());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasAttr<clang::CUDADeviceAttr>() && variable->hasGlobalStorage() &&
         program.definitions.unitsOfCuda == 1;
}

/// Finds what a pointer of one type may lead to.
class FunctionsOfType : public clang::DynamicRecursiveASTVisitor {
public:
  FunctionsOfType(const clang::ASTContext &context, clang::QualType function)
      : context_(context), type_(function) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override { return note(name->getDecl(), *name); }
  bool VisitMemberExpr(clang::MemberExpr *name) override {
    return note(name->getMemberDecl(), *name);
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    callees_.insert(call->getCallee()->IgnoreParenImpCasts());
    if (const auto *member = dyn_cast<clang::CXXMemberCallExpr>(call))
      areKnown &= !(isa_and_nonnull<clang::CXXConversionDecl>(member->getMethodDecl()) &&
                    isOfType(call->getType()->getPointeeType()));
    return true;
  }
  /// One without captures becomes such a pointer.
  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    areKnown &= lambda->capture_size() != 0;
    return true;
  }
  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *conversion) override {
    const clang::Expr &from = *conversion->getSubExpr()->IgnoreParenImpCasts();
    areKnown &= !isOfType(conversion->getType()->getPointeeType()) || isOfType(from.getType()) ||
                isOfType(from.getType()->getPointeeType());
    return true;
  }

  [[nodiscard]] std::vector<const clang::FunctionDecl *> functions() const {
    std::vector<const clang::FunctionDecl *> found;
    for (const auto &[name, function] : names_)
      if (!callees_.contains(name))
        found.push_back(function);
    return found;
  }
  bool areKnown = true;

private:
  bool isOfType(clang::QualType type) const {
    return !type.isNull() && type->isFunctionType() &&
           context_.hasSameFunctionTypeIgnoringExceptionSpec(type, type_);
  }
  bool note(const clang::ValueDecl *named, const clang::Expr &name) {
    const auto *function = dyn_cast<clang::FunctionDecl>(named);
    const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(function);
    if (function && (!method || method->isStatic()) && isOfType(function->getType()))
      names_.emplace_back(&name, function);
    return true;
  }

  const clang::ASTContext &context_;
  clang::QualType type_;
  std::vector<std::pair<const clang::Expr *, const clang::FunctionDecl *>> names_;
  std::set<const clang::Expr *> callees_;
};

} // namespace

std::vector<const clang::FunctionDecl *> functionsBehind(const Program &program,
                                                         const clang::CallExpr &call) {
  const clang::QualType pointer = call.getCallee()->getType();
  if (!pointer->isFunctionPointerType() ||
      (!program.isAlone && !isOfUnit(program, *call.getCallee())))
    return {};
  FunctionsOfType functions(program.unit.ast(), pointer->getPointeeType());
  const clang::SourceManager &sources = program.unit.sources();
  for (clang::Decl *declaration : program.unit.ast().getTranslationUnitDecl()->decls())
    if (declaration->getLocation().isValid() &&
        program.unit.isUserFile(
            sources.getFileID(sources.getExpansionLoc(declaration->getLocation()))))
      functions.TraverseDecl(declaration);
  return functions.areKnown ? functions.functions() : std::vector<const clang::FunctionDecl *>();
}

} // namespace relayout::rewriter
