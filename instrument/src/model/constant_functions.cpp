// SPDX-License-Identifier: Apache-2.0
// Follows calls from constant expressions, and edits the specifiers of what they do not reach.
#include "model/constant_functions.h"

#include "model/probe_points.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// The functions that an expression or a body names, those of default arguments among them.
class NamedFunctions : public clang::DynamicRecursiveASTVisitor {
public:
  explicit NamedFunctions(std::vector<const clang::FunctionDecl *> &found) : found_(found) {
    ShouldVisitImplicitCode = true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    add(name->getDecl());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) override {
    add(member->getMemberDecl());
    return true;
  }
  bool VisitOverloadExpr(clang::OverloadExpr *names) override {
    for (const clang::NamedDecl *name : names->decls())
      add(name->getUnderlyingDecl());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    add(made->getConstructor());
    if (const clang::CXXRecordDecl *type = made->getType()->getAsCXXRecordDecl())
      add(type->getDestructor());
    return true;
  }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr *inherited) override {
    add(inherited->getConstructor());
    return true;
  }
  bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr *argument) override {
    return TraverseStmt(argument->getExpr());
  }
  bool VisitCXXDefaultInitExpr(clang::CXXDefaultInitExpr *initialiser) override {
    return TraverseStmt(initialiser->getExpr());
  }

private:
  void add(const clang::NamedDecl *named) {
    if (const auto *shell = dyn_cast_or_null<clang::FunctionTemplateDecl>(named))
      named = shell->getTemplatedDecl();
    if (const auto *function = dyn_cast_or_null<clang::FunctionDecl>(named))
      found_.push_back(function);
  }

  std::vector<const clang::FunctionDecl *> &found_;
};

/// The functions in constant expressions.
class ConstantExpressions : public clang::DynamicRecursiveASTVisitor {
public:
  explicit ConstantExpressions(std::vector<const clang::FunctionDecl *> &found) : found_(found) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitConstantExpr(clang::ConstantExpr *expression) override {
    return add(expression->getSubExpr());
  }
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl *) override { return true; }
  /// `const int n = f();` may be a bound as well, and what is static is initialised by constants.
  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->isConstexpr() || variable->hasGlobalStorage() ||
        (variable->getType().isConstQualified() &&
         variable->getType()->isIntegralOrEnumerationType()))
      add(variable->getInit());
    return true;
  }
  bool VisitConstantArrayTypeLoc(clang::ConstantArrayTypeLoc type) override {
    return add(type.getSizeExpr());
  }
  bool VisitDependentSizedArrayTypeLoc(clang::DependentSizedArrayTypeLoc type) override {
    return add(type.getSizeExpr());
  }
  bool VisitConceptDecl(clang::ConceptDecl *idea) override {
    return add(idea->getConstraintExpr());
  }
  bool VisitTemplateDecl(clang::TemplateDecl *shell) override {
    return add(shell->getTemplateParameters()->getRequiresClause());
  }
  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (const auto *type = function->getType()->getAs<clang::FunctionProtoType>())
      add(type->getNoexceptExpr());
    if (const clang::Expr *required = function->getTrailingRequiresClause().ConstraintExpr)
      add(required);
    if (function->isConsteval())
      found_.push_back(function);
    return true;
  }
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc &argument) override {
    if (argument.getArgument().getKind() == clang::TemplateArgument::Expression)
      add(argument.getSourceExpression());
    return clang::DynamicRecursiveASTVisitor::TraverseTemplateArgumentLoc(argument);
  }

private:
  bool add(const clang::Expr *expression) {
    if (expression)
      NamedFunctions(found_).TraverseStmt(const_cast<clang::Expr *>(expression)); // read alone
    return true;
  }

  std::vector<const clang::FunctionDecl *> &found_;
};

template <class Visit> void visitUsers(ParsedUnit &unit, Visit visit) {
  const clang::SourceManager &sources = unit.sources();
  for (clang::Decl *declaration : unit.ast().getTranslationUnitDecl()->decls())
    if (const clang::SourceLocation where = sources.getExpansionLoc(declaration->getLocation());
        where.isValid() && unit.isUserFile(sources.getFileID(where)))
      visit(declaration);
}

/// Declarations of constexpr functions, and assertions, as they are written: templates once.
class ConstexprDeclarations : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (function->getConstexprKind() == clang::ConstexprSpecKind::Constexpr &&
        !function->isImplicit())
      functions.push_back(function);
    return true;
  }
  bool VisitStaticAssertDecl(clang::StaticAssertDecl *assertion) override {
    assertions.push_back(assertion);
    return true;
  }
  std::vector<const clang::FunctionDecl *> functions;
  std::vector<const clang::StaticAssertDecl *> assertions;
};

/// The `constexpr` among the specifiers, which stand in any order around attributes.
std::optional<TokenEdits::Index> constexprToken(const TokenEdits &edits,
                                                const clang::FunctionDecl &function) {
  const auto isEnd = [](const clang::Token &token) {
    return token.isOneOf(clang::tok::semi, clang::tok::l_brace, clang::tok::r_brace,
                         clang::tok::colon, clang::tok::greater);
  };
  const auto name = edits.indexOf(function.getLocation());
  const auto begin = edits.indexOf(function.getInnerLocStart());
  for (TokenEdits::Index i = name.value_or(0); i-- > 0;) {
    if (edits.token(i).is(clang::tok::kw_constexpr))
      return i;
    if ((!begin || i < *begin) && isEnd(edits.token(i)))
      break;
  }
  return std::nullopt;
}

} // namespace

bool ConstantFunctions::contains(const clang::FunctionDecl *function) {
  return all().contains(patternOf(function)->getCanonicalDecl());
}

const ConstantFunctions::Functions &ConstantFunctions::all() {
  if (all_)
    return *all_;
  all_.emplace();
  std::vector<const clang::FunctionDecl *> called;
  ConstantExpressions constants(called);
  visitUsers(unit_, [&](clang::Decl *declaration) { constants.TraverseDecl(declaration); });
  llvm::DenseSet<const clang::FunctionDecl *> seen;
  while (!called.empty()) {
    const clang::FunctionDecl *function = called.back();
    called.pop_back();
    if (!seen.insert(function->getCanonicalDecl()).second)
      continue;
    all_->insert(patternOf(function)->getCanonicalDecl());
    const clang::FunctionDecl *definition = nullptr;
    if (!function->hasBody(definition))
      continue;
    NamedFunctions callees(called);
    callees.TraverseStmt(definition->getBody());
    if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(definition))
      for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
        callees.TraverseStmt(initialiser->getInit());
  }
  return *all_;
}

bool hasConstexprProbes(const Facts &facts) {
  return std::ranges::any_of(facts.functions, [](const auto &entry) {
    return entry.second.isConstexpr && entry.second.isTraced;
  });
}

void dropConstexpr(ParsedUnit &unit, TokenEdits &edits) {
  ConstantFunctions constants(unit);
  ConstexprDeclarations declarations;
  visitUsers(unit, [&](clang::Decl *declaration) { declarations.TraverseDecl(declaration); });
  for (const clang::FunctionDecl *function : declarations.functions)
    if (!constants.contains(function))
      if (const auto token = constexprToken(edits, *function))
        edits.replace(*token, *token, function->isInlineSpecified() ? "" : "inline");
  for (const clang::StaticAssertDecl *assertion : declarations.assertions) { // it holds
    const auto first = edits.indexOf(assertion->getAssertExpr()->getBeginLoc());
    const auto last = edits.indexOf(assertion->getAssertExpr()->getEndLoc());
    if (first && last)
      edits.replace(*first, *last, "true");
  }
}

} // namespace relayout::instrument
