// SPDX-License-Identifier: Apache-2.0
// Reads the functions' bodies for uses of the object as a whole.
#include "structs/holder_functions.h"

#include "relayout/instrument/clang/symbols.h"
#include "structs/holder_methods.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Of one function's definition.
class FunctionReader : public clang::DynamicRecursiveASTVisitor {
public:
  FunctionReader(ParsedUnit &unit, const HolderStruct &holder, const clang::CXXRecordDecl &record,
                 const clang::ParmVarDecl &object, HolderFunction &function)
      : holder_(holder), unit_(unit), record_(record), names_(unit, &record), object_(object),
        function_(function) {}

  bool isPlain = true;

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *subscript) override {
    follow(*subscript->getBase());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *unary) override {
    if (unary->getOpcode() == clang::UO_Deref)
      follow(*unary->getSubExpr());
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    if (member->isArrow())
      follow(*member->getBase());
    const auto *name = dyn_cast<clang::DeclRefExpr>(member->getBase()->IgnoreParenImpCasts());
    if (!name || name->getDecl() != &object_)
      return true;
    understood_.insert(name);
    if (isMethodOf(record_, member->getMemberDecl()))
      function_.methods.insert(symbolOf(
          unit_, dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl())->getCanonicalDecl()));
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    for (unsigned i = 0; callee && i < call->getNumArgs() && i < callee->getNumParams(); ++i) {
      const auto *name = dyn_cast<clang::DeclRefExpr>(call->getArg(i)->IgnoreParenImpCasts());
      if (!name || name->getDecl() != &object_ || isa<clang::CXXMethodDecl>(callee))
        continue;
      understood_.insert(name);
      function_.callees.insert(symbolOf(unit_, callee->getCanonicalDecl()));
    }
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    isPlain &= name->getDecl() != &object_ || understood_.contains(name);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) override {
    isPlain &= !variable->isStaticLocal() && names_.of(variable).empty();
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr *) override { return isPlain = false; }
  bool VisitTagTypeLoc(clang::TagTypeLoc type) override {
    const clang::CXXRecordDecl *named = type.getType()->getAsCXXRecordDecl();
    isPlain &= !named || named->getCanonicalDecl() != record_.getCanonicalDecl();
    return true;
  }

private:
  void follow(const clang::Expr &pointer) {
    const auto *member = dyn_cast<clang::MemberExpr>(pointer.IgnoreParenCasts());
    function_.followsPointers |=
        member && holder_.fields.contains(member->getMemberDecl()->getNameAsString());
  }

  const HolderStruct &holder_;
  ParsedUnit &unit_;
  const clang::CXXRecordDecl &record_;
  ObjectNames names_;
  const clang::ParmVarDecl &object_;
  HolderFunction &function_;
  std::set<const clang::DeclRefExpr *> understood_;
};

class FunctionFinder : public clang::DynamicRecursiveASTVisitor {
public:
  FunctionFinder(ParsedUnit &unit, const HolderStruct &holder, const clang::CXXRecordDecl &record,
                 HolderFunctions &functions)
      : holder_(holder), unit_(unit), record_(record), names_(unit, &record),
        functions_(functions) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (isa<clang::CXXMethodDecl>(function) || !isUsers(unit_, *function) ||
        !function->hasAttr<clang::CUDADeviceAttr>() || !function->hasAttr<clang::CUDAHostAttr>() ||
        !function->getDeclContext()->isFileContext() || function->isExternC() ||
        function->getTemplatedKind() != clang::FunctionDecl::TK_NonTemplate ||
        !names_.of(function).empty())
      return true;
    const clang::ParmVarDecl *object = nullptr;
    for (const clang::ParmVarDecl *parameter : function->parameters())
      if (!names_.of(parameter).empty()) {
        if (object || parameter->hasDefaultArg() || !isOneObject(parameter->getType()))
          return true;
        object = parameter;
      }
    if (!object)
      return true;
    const std::string symbol = symbolOf(unit_, function->getCanonicalDecl());
    HolderFunction &known = functions_[symbol];
    known.object = object->getFunctionScopeIndex();
    known.declarations.emplace_back(&unit_, function);
    known.isInClass |= !function->getLexicalDeclContext()->isFileContext();
    if (function->doesThisDeclarationHaveABody()) {
      FunctionReader reader(unit_, holder_, record_, *object, known);
      reader.TraverseStmt(function->getBody());
      known.isPlain = reader.isPlain;
    }
    return true;
  }

private:
  /// `S`, `const S &`, `S *`
  static bool isOneObject(clang::QualType type) {
    const clang::QualType inner =
        type->isPointerType() ? type->getPointeeType() : type.getNonReferenceType();
    return inner->isRecordType();
  }

  const HolderStruct &holder_;
  ParsedUnit &unit_;
  const clang::CXXRecordDecl &record_;
  ObjectNames names_;
  HolderFunctions &functions_;
};

} // namespace

HolderFunctions functionsOf(const HolderStruct &holder, const std::vector<ParsedUnit *> &units,
                            const HolderMethods &methods) {
  HolderFunctions functions;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (const clang::CXXRecordDecl *record = holder.definitions[i])
      FunctionFinder(*units[i], holder, *record, functions).TraverseAST(units[i]->ast());
  for (bool changes = true; changes;) {
    changes = std::erase_if(functions, [&](const auto &entry) {
                return !entry.second.isPlain || entry.second.isInClass ||
                       std::ranges::any_of(entry.second.callees, [&](const std::string &callee) {
                         return !functions.contains(callee);
                       });
              }) != 0;
  }
  for (auto &[symbol, function] : functions)
    for (const std::string &name : function.methods)
      if (const auto method = methods.find(name); method != methods.end())
        function.followsPointers |= method->second.followsPointers;
  for (bool changes = true; changes;) {
    changes = false;
    for (auto &[symbol, function] : functions)
      for (const std::string &callee : function.callees)
        if (functions.at(callee).followsPointers && !function.followsPointers)
          changes = function.followsPointers = true;
  }
  return functions;
}

} // namespace relayout::instrument
