// SPDX-License-Identifier: Apache-2.0
// Looks at each body by itself, and takes out what calls others than such functions.
#include "pass/non_capturing_functions.h"

#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <map>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;
using instrument::ParsedUnit;

bool isOfUser(ParsedUnit &unit, const clang::Decl &declaration) {
  const clang::SourceManager &sources = unit.sources();
  return declaration.getLocation().isValid() &&
         unit.isUserFile(sources.getFileID(sources.getExpansionLoc(declaration.getLocation())));
}

bool leadsElsewhere(clang::QualType type) {
  return type->isPointerType() || type->isReferenceType() || type->isMemberPointerType() ||
         type->isDependentType();
}

/// An object of the type may hold an address.
bool holdsAddress(clang::QualType type) {
  if (leadsElsewhere(type))
    return true;
  const auto *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition())
    return record != nullptr;
  return std::ranges::any_of(record->fields(),
                             [](const auto *field) { return holdsAddress(field->getType()); }) ||
         std::ranges::any_of(record->bases(),
                             [](const auto &base) { return holdsAddress(base.getType()); });
}

/// One body: whether it captures nothing if the functions of the program that it calls do not.
class BodyVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  explicit BodyVisitor(ParsedUnit &unit) : unit_(unit) { ShouldVisitImplicitCode = true; }

  bool capturesNothing = true;
  std::set<std::string> callees;

  void run(clang::FunctionDecl &function) {
    const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
    if (holdsAddress(function.getReturnType()) || function.isVariadic() ||
        (method && method->isVirtual()) || isa<clang::CXXDestructorDecl>(function))
      capturesNothing = false;
    for (const clang::ParmVarDecl *parameter : function.parameters())
      if (!parameter->getType()->isReferenceType() && leadsElsewhere(parameter->getType()))
        capturesNothing = false;
    if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(&function))
      for (clang::CXXCtorInitializer *initializer : constructor->inits())
        TraverseConstructorInitializer(initializer);
    TraverseStmt(function.getBody());
    if (std::ranges::any_of(objects_, [this](const clang::CXXThisExpr *object) {
          return !named_.contains(object);
        }))
      capturesNothing = false;
  }

  bool VisitCXXThisExpr(clang::CXXThisExpr *object) override {
    objects_.push_back(object);
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) override {
    const clang::Expr *base = member->getBase()->IgnoreParenImpCasts();
    if (const auto *object = dyn_cast<clang::CXXThisExpr>(base))
      named_.insert(object);
    else if (member->isArrow())
      capturesNothing = false;
    if (member->getMemberDecl()->getType()->isReferenceType())
      capturesNothing = false;
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *operation) override {
    const clang::Expr *operand = operation->getSubExpr()->IgnoreParenImpCasts();
    if (operation->getOpcode() == clang::UO_AddrOf)
      capturesNothing = false;
    if (operation->getOpcode() != clang::UO_Deref)
      return true;
    if (const auto *object = dyn_cast<clang::CXXThisExpr>(operand))
      named_.insert(object);
    else
      capturesNothing = false;
    return true;
  }
  /// Arrays are named by their elements, texts by themselves.
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *subscript) override {
    const auto *decay = dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
    if (decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay)
      subscripted_.insert(decay);
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *conversion) override {
    const bool isText = isa<clang::StringLiteral>(conversion->getSubExpr()->IgnoreParens());
    if (conversion->getCastKind() == clang::CK_ArrayToPointerDecay && !isText &&
        !subscripted_.contains(conversion))
      capturesNothing = false;
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    clang::QualType type = variable->getType();
    const auto *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (leadsElsewhere(type) || variable->isStaticLocal() ||
        (record && record->hasDefinition() && !record->hasTrivialDestructor()))
      capturesNothing = false;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable && variable->hasGlobalStorage() &&
        !variable->isUsableInConstantExpressions(unit_.ast()))
      capturesNothing = false;
    return true;
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (callee)
      add(*callee);
    else
      capturesNothing = false;
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    if (!made->getConstructor()->isImplicit() && !made->getConstructor()->isDefaulted())
      add(*made->getConstructor());
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *) override { return refuse(); }
  bool VisitCXXNewExpr(clang::CXXNewExpr *) override { return refuse(); }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *) override { return refuse(); }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr *) override { return refuse(); }
  bool VisitAsmStmt(clang::AsmStmt *) override { return refuse(); }

private:
  bool refuse() {
    capturesNothing = false;
    return true;
  }

  /// A library's function may wait for other threads, or take part in their work.
  void add(const clang::FunctionDecl &callee) {
    if (isOfUser(unit_, callee)) {
      callees.insert(instrument::symbolOf(unit_, &callee));
      return;
    }
    const std::string name = callee.getNameAsString();
    capturesNothing &=
        !name.starts_with("__") || name.starts_with("__builtin") || isArithmetic(name);
    capturesNothing &= !name.starts_with("atomic") && !callee.getReturnType()->isPointerType() &&
                       !(callee.isInStdNamespace() && callee.getReturnType()->isRecordType());
  }

  /// CUDA's own names of arithmetic, `__fmaf_rn` and the like.
  static bool isArithmetic(const std::string &name) {
    return name.starts_with("__f") || name.starts_with("__d") || name.starts_with("__int") ||
           name.starts_with("__uint") || name.starts_with("__sin") || name.starts_with("__cos") ||
           name.starts_with("__exp") || name.starts_with("__log") || name.starts_with("__pow") ||
           name.starts_with("__tan") || name.starts_with("__half") || name.starts_with("__satur");
  }

  ParsedUnit &unit_;
  std::vector<const clang::CXXThisExpr *> objects_;
  std::set<const clang::CXXThisExpr *> named_;
  std::set<const clang::ImplicitCastExpr *> subscripted_;
};

using Callees = std::map<std::string, std::set<std::string>>; ///< by the caller

class DefinitionVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  DefinitionVisitor(ParsedUnit &unit, Callees &nonCapturing)
      : unit_(unit), nonCapturing_(nonCapturing) {
    ShouldVisitTemplateInstantiations = true;
  }

  /// What libraries declare is left out, with all their instances.
  bool TraverseDecl(clang::Decl *declaration) override {
    return (declaration && !isa<clang::TranslationUnitDecl>(declaration) &&
            unit_.sources().isInSystemHeader(
                unit_.sources().getExpansionLoc(declaration->getLocation()))) ||
           clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext() ||
        !isOfUser(unit_, *function))
      return true;
    BodyVisitor body(unit_);
    body.run(*function);
    if (body.capturesNothing)
      nonCapturing_.emplace(instrument::symbolOf(unit_, function), std::move(body.callees));
    return true;
  }

private:
  ParsedUnit &unit_;
  Callees &nonCapturing_;
};

} // namespace

std::set<std::string> nonCapturingFunctions(const std::vector<ParsedUnit *> &units) {
  Callees nonCapturing;
  for (ParsedUnit *unit : units)
    DefinitionVisitor(*unit, nonCapturing).TraverseAST(unit->ast());
  while (std::erase_if(nonCapturing, [&](const auto &function) {
           return std::ranges::any_of(function.second, [&](const std::string &callee) {
             return !nonCapturing.contains(callee);
           });
         }) != 0) {
  }
  std::set<std::string> symbols;
  for (const auto &[symbol, callees] : nonCapturing)
    symbols.insert(symbol);
  return symbols;
}

} // namespace relayout::rewriter
