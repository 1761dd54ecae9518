// SPDX-License-Identifier: Apache-2.0
// The walk behind ParentIndex.
#include "pass/parent_index.h"

#include "relayout/instrument/clang/compatibility.h"
#include "relayout/instrument/clang/function_pointers.h"

#include <clang/AST/ASTContext.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;

class ParentIndex::Walker : public instrument::compatibility::TypeScopeVisitor {
  using Base = instrument::compatibility::TypeScopeVisitor;

public:
  Walker(ParentIndex &index, instrument::ParsedUnit &unit) : index_(index), unit_(unit) {
    ShouldVisitTemplateInstantiations = true;
  }

  // One parameter: without a queue the recursion is real, and around_ is the path to the node.
  bool TraverseStmt(clang::Stmt *statement) override {
    if (!statement)
      return true;
    index_.parents_[statement] = around_.empty() ? Packed() : packed(around_.back());
    around_.push_back({.stmt = statement});
    const bool done = Base::TraverseStmt(statement);
    around_.pop_back();
    return done;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    if (!declaration || isForeign(declaration))
      return true;
    around_.push_back({.decl = declaration});
    const auto *function = dyn_cast<clang::FunctionDecl>(declaration);
    if (function)
      functions_.push_back(function);
    const bool done = Base::TraverseDecl(declaration);
    if (function)
      functions_.pop_back();
    around_.pop_back();
    return done;
  }

  bool TraverseConstructorInitializer(clang::CXXCtorInitializer *initialiser) override {
    around_.push_back({.initialiser = initialiser});
    const bool done = Base::TraverseConstructorInitializer(initialiser);
    around_.pop_back();
    return done;
  }

  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) override {
    for (const clang::LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByCopy)
        index_.copiedByLambdas_.insert(capture.getCapturedVar());
    functions_.push_back(lambda->getCallOperator());
    const bool done = Base::TraverseLambdaExpr(lambda);
    functions_.pop_back();
    return done;
  }

  /// The list as it is written, then as it is meant: the latter says which field each value is for.
  bool TraverseInitListExpr(clang::InitListExpr *list) override {
    bool done = Base::TraverseInitListExpr(list);
    clang::InitListExpr *semantic = list->isSemanticForm() ? list : list->getSemanticForm();
    if (semantic && !semantic->isSyntacticForm()) {
      around_.push_back({.stmt = semantic});
      for (clang::Stmt *child : semantic->children())
        done = done && TraverseStmt(child);
      around_.pop_back();
    }
    return done;
  }

  bool VisitDeclStmt(clang::DeclStmt *statement) override {
    for (const clang::Decl *declared : statement->decls())
      index_.declarations_[declared] = statement;
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    note(name);
    if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl()))
      index_.references_[variable].push_back(name);
    return true;
  }

  /// Of a lambda's, the method's around it: a lambda that names the object's members holds `this`.
  bool VisitCXXThisExpr(clang::CXXThisExpr *object) override {
    for (auto function = functions_.rbegin(); function != functions_.rend(); ++function)
      if (const auto *method = dyn_cast<clang::CXXMethodDecl>(*function);
          method && !method->getParent()->isLambda()) {
        index_.thisExpressions_[method].push_back(object);
        break;
      }
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    note(member);
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    note(call);
    noteCallee(call->getDirectCallee());
    if (!call->getDirectCallee() && !call->isTypeDependent() && !functions_.empty())
      index_.throughPointers_.insert(functions_.back());
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) override {
    noteCallee(construction->getConstructor());
    index_.constructions_.push_back(namingOf(construction));
    index_.functions_[construction] = functions_.empty() ? nullptr : functions_.back();
    return true;
  }

  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *conversion) override {
    index_.functions_[conversion] = functions_.empty() ? nullptr : functions_.back();
    return true;
  }

  bool VisitCXXNewExpr(clang::CXXNewExpr *made) override {
    index_.functions_[made] = functions_.empty() ? nullptr : functions_.back();
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const auto *method = dyn_cast<clang::CXXMethodDecl>(function);
    if (method)
      for (const clang::CXXMethodDecl *base : method->overridden_methods())
        index_.overriders_[base->getCanonicalDecl()].push_back(method);
    bool takes = method && method->getRefQualifier() == clang::RQ_RValue;
    for (const clang::ParmVarDecl *parameter : function->parameters())
      takes |= parameter->getType()->isRValueReferenceType();
    if (takes)
      index_.temporaryTakers_.insert(function->getDeclName());
    return true;
  }

  bool VisitDeclaratorDecl(clang::DeclaratorDecl *declarator) override {
    index_.declarators_.push_back(declarator);
    if (!clang::isa<clang::FunctionDecl>(declarator) && declarator->getTypeSourceInfo())
      notePointer(*declarator, declarator->getTypeSourceInfo()->getTypeLoc());
    return true;
  }

  bool VisitTypedefNameDecl(clang::TypedefNameDecl *name) override {
    notePointer(*name, name->getTypeSourceInfo()->getTypeLoc());
    return true;
  }

private:
  void notePointer(const clang::NamedDecl &declared, clang::TypeLoc type) {
    const clang::FunctionProtoTypeLoc function = instrument::writtenFunction(type);
    if (!function)
      return;
    index_.pointersToFunctions_.push_back({&declared, function});
    for (const clang::ParmVarDecl *parameter : function.getParams())
      index_.ofPointers_[parameter] = &declared;
  }

  void enterType() override { around_.push_back({.inType = true}); }
  void leaveType() override { around_.pop_back(); }

  /// Declarations outside the user's files, namespaces aside: they cannot name the user's.
  /// A template's instantiations hang below the template, wherever their arguments come from, so
  /// what a library template does with a user's record is judged at the call.
  bool isForeign(const clang::Decl *declaration) const {
    if (clang::isa<clang::TranslationUnitDecl, clang::NamespaceDecl, clang::LinkageSpecDecl>(
            declaration) ||
        declaration->getLocation().isInvalid())
      return false;
    const clang::SourceManager &sources = unit_.sources();
    return !unit_.isUserFile(
        sources.getFileID(sources.getExpansionLoc(declaration->getLocation())));
  }

  [[nodiscard]] Naming namingOf(const clang::Expr *expression) const {
    const bool isDependent =
        std::ranges::any_of(functions_, &clang::FunctionDecl::isDependentContext);
    return {expression, functions_.empty() ? nullptr : functions_.back(), isDependent};
  }

  void note(const clang::Expr *expression) {
    index_.namings_.push_back(namingOf(expression));
    index_.functions_[expression] = index_.namings_.back().function;
  }

  void noteCallee(const clang::FunctionDecl *callee) {
    if (callee && !functions_.empty())
      index_.callees_[functions_.back()].insert(callee->getDefinition() ? callee->getDefinition()
                                                                        : callee);
  }

  ParentIndex &index_;
  instrument::ParsedUnit &unit_;
  std::vector<Parent> around_;
  std::vector<const clang::FunctionDecl *> functions_;
};

std::vector<const clang::FunctionDecl *>
ParentIndex::overridersOf(const clang::CXXMethodDecl &method) const {
  std::vector<const clang::FunctionDecl *> all;
  const auto direct = overriders_.find(method.getCanonicalDecl());
  if (direct == overriders_.end())
    return all;
  for (const clang::CXXMethodDecl *one : direct->second) {
    all.push_back(one->getDefinition() ? one->getDefinition() : one);
    const auto further = overridersOf(*one);
    all.insert(all.end(), further.begin(), further.end());
  }
  return all;
}

const clang::ValueDecl *namedBy(const Naming &naming) {
  if (const auto *name = clang::dyn_cast<clang::DeclRefExpr>(naming.expression))
    return name->getDecl();
  if (const auto *member = clang::dyn_cast<clang::MemberExpr>(naming.expression))
    return member->getMemberDecl();
  const auto *call = clang::dyn_cast<clang::CallExpr>(naming.expression);
  return call ? call->getDirectCallee() : nullptr;
}

ParentIndex::ParentIndex(instrument::ParsedUnit &unit) {
  Walker(*this, unit).TraverseDecl(unit.ast().getTranslationUnitDecl());
}

ParentIndex::Packed ParentIndex::packed(const Parent &parent) {
  if (parent.inType)
    return {nullptr, Kind::Type};
  if (parent.initialiser)
    return {parent.initialiser, Kind::Initialiser};
  return parent.decl ? Packed(parent.decl, Kind::Decl) : Packed(parent.stmt, Kind::Stmt);
}

Parent ParentIndex::parentOf(const clang::Stmt *statement) const {
  const Packed found = parents_.lookup(statement);
  const void *const parent = found.getPointer();
  switch (found.getInt()) {
  case Kind::Stmt:
    return {.stmt = static_cast<const clang::Stmt *>(parent)};
  case Kind::Decl:
    return {.decl = static_cast<const clang::Decl *>(parent)};
  case Kind::Initialiser:
    return {.initialiser = static_cast<const clang::CXXCtorInitializer *>(parent)};
  case Kind::Type:
    break;
  }
  return {.inType = true};
}

const std::vector<const clang::DeclRefExpr *> &
ParentIndex::referencesTo(const clang::VarDecl *variable) const {
  static const std::vector<const clang::DeclRefExpr *> kNone;
  const auto entry = references_.find(variable);
  return entry == references_.end() ? kNone : entry->second;
}

const std::vector<const clang::CXXThisExpr *> &
ParentIndex::thisIn(const clang::FunctionDecl *method) const {
  static const std::vector<const clang::CXXThisExpr *> kNone;
  const auto entry = thisExpressions_.find(method);
  return entry == thisExpressions_.end() ? kNone : entry->second;
}

const clang::FunctionDecl *ParentIndex::functionAround(const clang::Expr *expression) const {
  return functions_.lookup(expression);
}

const std::set<const clang::FunctionDecl *> &
ParentIndex::calleesOf(const clang::FunctionDecl *function) const {
  static const std::set<const clang::FunctionDecl *> kNone;
  const auto entry = callees_.find(function);
  return entry == callees_.end() ? kNone : entry->second;
}

} // namespace relayout::rewriter
