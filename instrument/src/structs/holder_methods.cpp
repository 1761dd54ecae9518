// SPDX-License-Identifier: Apache-2.0
// Reads the methods' bodies for what they do with the object, and for other objects.
#include "structs/holder_methods.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

std::string thisOf(const std::string &method) { return method + "::this"; }

bool isOfEveryObject(const clang::CXXMethodDecl &method) {
  const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(&method);
  return isa<clang::CXXDestructorDecl>(method) || method.isCopyAssignmentOperator() ||
         method.isMoveAssignmentOperator() || method.isDefaulted() || method.isDeleted() ||
         (constructor && constructor->isCopyOrMoveConstructor());
}

bool isMethodOf(const clang::CXXRecordDecl &record, const clang::Decl *function) {
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(function);
  return method && method->getParent()->getCanonicalDecl() == record.getCanonicalDecl();
}

namespace {

/// Of one method's definition.
class MethodReader : public clang::DynamicRecursiveASTVisitor {
public:
  MethodReader(ParsedUnit &unit, const HolderStruct &holder, const clang::CXXRecordDecl &record,
               HolderMethod &method)
      : unit_(unit), holder_(holder), record_(record), names_(unit, &record), method_(method) {}

  void read(clang::CXXMethodDecl &definition) {
    method_.isOfOneType = definition.isStatic() || !names_.of(&definition).empty();
    for (clang::ParmVarDecl *parameter : definition.parameters())
      TraverseDecl(parameter);
    if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(&definition))
      for (clang::CXXCtorInitializer *initialiser : constructor->inits()) {
        if (initialiser->isMemberInitializer() && isHolders(initialiser->getMember()))
          noteValue(*initialiser->getInit());
        TraverseStmt(initialiser->getInit());
      }
    TraverseStmt(definition.getBody());
  }

  bool VisitValueDecl(clang::ValueDecl *declaration) override {
    const auto *variable = dyn_cast<clang::VarDecl>(declaration);
    method_.isOfOneType |=
        !names_.of(declaration).empty() || (variable && variable->isStaticLocal());
    return true;
  }
  bool VisitTagTypeLoc(clang::TagTypeLoc type) override { return mention(type); }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) override { return mention(type); }
  bool VisitUsingTypeLoc(clang::UsingTypeLoc type) override { return mention(type); }

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    if (const auto *object =
            dyn_cast<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) {
      selected_.insert(object);
      if (isMethodOf(record_, member->getMemberDecl()))
        method_.callees.insert(symbolOf(
            unit_, dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl())->getCanonicalDecl()));
    }
    if (member->isArrow())
      follow(*member->getBase());
    return true;
  }

  bool VisitCXXThisExpr(clang::CXXThisExpr *object) override {
    method_.isOfOneType |= !selected_.contains(object);
    return true;
  }

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *subscript) override {
    follow(*subscript->getBase());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *unary) override {
    if (unary->getOpcode() == clang::UO_Deref)
      follow(*unary->getSubExpr());
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *expression) override {
    follow(*expression->getArgument());
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *binary) override {
    if (binary->getOpcode() == clang::BO_Assign && isHolders(*binary->getLHS()))
      noteValue(*binary->getRHS());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const CudaCall *known = cudaCallNamed(calleeName(call));
    if (!known || known->kind != CudaCallKind::Allocation || call->getNumArgs() == 0)
      return true;
    const auto *address = dyn_cast<clang::UnaryOperator>(call->getArg(0)->IgnoreParenCasts());
    method_.isOfOneType |= address && isHolders(*address->getSubExpr());
    return true;
  }

private:
  bool mention(clang::TypeLoc type) {
    const clang::CXXRecordDecl *named = type.getType()->getAsCXXRecordDecl();
    method_.isOfOneType |= named && named->getCanonicalDecl() == record_.getCanonicalDecl();
    return true;
  }

  [[nodiscard]] bool isHolders(const clang::ValueDecl *member) const {
    return isa<clang::FieldDecl>(member) && holder_.fields.contains(member->getNameAsString());
  }
  /// A pointer of the method's object.
  [[nodiscard]] bool isHolders(const clang::Expr &expression) const {
    const auto *member = dyn_cast<clang::MemberExpr>(expression.IgnoreParenCasts());
    return member && isHolders(member->getMemberDecl()) &&
           isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
  }

  void follow(const clang::Expr &pointer) { method_.followsPointers |= isHolders(pointer); }

  void noteValue(const clang::Expr &value) {
    Referent referent;
    resolve(&value, referent);
    method_.isOfOneType |= referent.origins.host;
  }

  ParsedUnit &unit_;
  const HolderStruct &holder_;
  const clang::CXXRecordDecl &record_;
  ObjectNames names_;
  HolderMethod &method_;
  std::set<const clang::CXXThisExpr *> selected_; ///< of which a member is named
};

class DefinitionFinder : public clang::DynamicRecursiveASTVisitor {
public:
  DefinitionFinder(ParsedUnit &unit, const HolderStruct &holder, const clang::CXXRecordDecl &record,
                   HolderMethods &methods)
      : unit_(unit), holder_(holder), record_(record), methods_(methods) {}

  bool VisitCXXMethodDecl(clang::CXXMethodDecl *method) override {
    if (method->isImplicit() || !isMethodOf(record_, method) ||
        !method->isThisDeclarationADefinition())
      return true;
    HolderMethod &known = methods_[symbolOf(unit_, method->getCanonicalDecl())];
    if (method->isOutOfLine())
      known.outside.emplace_back(&unit_, method);
    known.isCopied = isOfEveryObject(*method);
    known.isConstructor = isa<clang::CXXConstructorDecl>(method);
    if (method->doesThisDeclarationHaveABody() && !known.isCopied)
      MethodReader(unit_, holder_, record_, known).read(*method);
    for (const clang::Decl *declared : method->decls())
      if (const auto *variable = dyn_cast<clang::VarDecl>(declared))
        known.hasStatic |= known.isCopied && variable->isStaticLocal();
    return true;
  }

private:
  ParsedUnit &unit_;
  const HolderStruct &holder_;
  const clang::CXXRecordDecl &record_;
  HolderMethods &methods_;
};

} // namespace

HolderMethods methodsOf(const HolderStruct &holder, const std::vector<ParsedUnit *> &units) {
  HolderMethods methods;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (const clang::CXXRecordDecl *record = holder.definitions[i])
      DefinitionFinder(*units[i], holder, *record, methods).TraverseAST(units[i]->ast());
  for (bool changes = true; changes;) {
    changes = false;
    for (auto &[symbol, method] : methods)
      for (const std::string &name : method.callees) {
        const auto callee = methods.find(name);
        if (callee == methods.end() || method.isCopied)
          continue;
        const bool isOfOneType = method.isOfOneType || callee->second.isOfOneType;
        const bool followsPointers = method.followsPointers || callee->second.followsPointers;
        changes |= isOfOneType != method.isOfOneType || followsPointers != method.followsPointers;
        method.isOfOneType = isOfOneType;
        method.followsPointers = followsPointers;
      }
  }
  return methods;
}

} // namespace relayout::instrument
