// SPDX-License-Identifier: Apache-2.0
// Two walks over a unit: its text, and what its templates are instantiated to.
#include "model/owner_uses.h"

#include "relayout/instrument/clang/pointer_owners.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

class Walk : public clang::DynamicRecursiveASTVisitor {
public:
  Walk(ParsedUnit &unit, OwnerUses &uses) : unit_(unit), uses_(uses) {}

  bool TraverseDecl(clang::Decl *declaration) override {
    if (!declaration || isForeign(*declaration))
      return true;
    const clang::Decl *outer = around_;
    if (!around_ &&
        !isa<clang::TranslationUnitDecl, clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration))
      around_ = declaration;
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    around_ = outer;
    return goOn;
  }

protected:
  [[nodiscard]] bool isForeign(const clang::Decl &declaration) const {
    if (isa<clang::TranslationUnitDecl, clang::NamespaceDecl, clang::LinkageSpecDecl>(
            declaration) ||
        declaration.getLocation().isInvalid())
      return false;
    const clang::SourceManager &sources = unit_.sources();
    return !unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(declaration.getLocation())));
  }

  ParsedUnit &unit_;
  OwnerUses &uses_;
  const clang::Decl *around_ = nullptr;
};

class TextWalk : public Walk {
public:
  using Walk::Walk;

  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc type) override {
    const clang::TemplateDecl *named =
        type.getTypePtr()->getTemplateName().getAsTemplateDecl(/*IgnoreDeduced=*/true);
    if (!named || named->getName() != "unique_ptr" || !named->isInStdNamespace() ||
        type.getNumArgs() != 2 ||
        type.getArgLoc(1).getArgument().getKind() != clang::TemplateArgument::Type)
      return true;
    uses_.mentions.push_back({type.getArgLoc(1).getTypeSourceInfo()->getTypeLoc(),
                              type.getLAngleLoc(), around_, type.getType()->getAsCXXRecordDecl()});
    return true;
  }

  bool VisitTagTypeLoc(clang::TagTypeLoc type) override {
    if (const auto *record = dyn_cast<clang::CXXRecordDecl>(type.getDecl()))
      uses_.names.emplace_back(record->getCanonicalDecl(), type.getNameLoc());
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->getInit() && isa<clang::LambdaExpr>(variable->getInit()->IgnoreImplicit()))
      uses_.lambdas.push_back(variable);
    return true;
  }
};

class InstanceWalk : public Walk {
public:
  InstanceWalk(ParsedUnit &unit, OwnerUses &uses) : Walk(unit, uses) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr *call) override {
    const clang::OverloadedOperatorKind kind = call->getOperator();
    if ((kind == clang::OO_Subscript || kind == clang::OO_Star || kind == clang::OO_Arrow) &&
        isOwner(dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee())))
      uses_.elements.push_back(call);
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) override {
    if (isOwner(construction->getConstructor()))
      uses_.constructions.push_back(construction);
    return true;
  }

private:
  static bool isOwner(const clang::CXXMethodDecl *method) {
    const auto *instance =
        method ? dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent()) : nullptr;
    return instance && hasOwnDeleter(*instance);
  }
};

} // namespace

OwnerUses ownerUses(ParsedUnit &unit) {
  OwnerUses uses;
  if (ownersIn(unit.ast()).empty())
    return uses;
  TextWalk(unit, uses).TraverseDecl(unit.ast().getTranslationUnitDecl());
  InstanceWalk(unit, uses).TraverseDecl(unit.ast().getTranslationUnitDecl());
  return uses;
}

} // namespace relayout::instrument
