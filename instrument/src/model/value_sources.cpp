// SPDX-License-Identifier: Apache-2.0
// Collects what the integers of a unit are given, without regard to the order of execution.
#include "model/value_sources.h"

#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <utility>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

namespace {

constexpr unsigned kMostBits = 64; // of a constant

} // namespace

clang::SourceLocation placeOf(const clang::ValueDecl &declaration) {
  if (const auto *function = dyn_cast<clang::FunctionDecl>(&declaration))
    return patternOf(function)->getLocation();
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declaration);
  const auto *function =
      parameter ? dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()) : nullptr;
  const unsigned position = function ? parameter->getFunctionScopeIndex() : 0;
  const clang::FunctionDecl *pattern = function ? patternOf(function) : nullptr;
  if (pattern && position < pattern->getNumParams())
    return pattern->getParamDecl(position)->getLocation();
  return declaration.getCanonicalDecl()->getLocation();
}

const clang::ValueDecl *named(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare))
    return dyn_cast<clang::VarDecl>(name->getDecl());
  if (const auto *member = dyn_cast<clang::MemberExpr>(bare))
    return dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  const auto *call = dyn_cast<clang::CallExpr>(bare);
  return call ? call->getDirectCallee() : nullptr;
}

std::optional<std::uint64_t> constantOf(const clang::Expr &expression,
                                        const clang::ASTContext &ast) {
  if (expression.isValueDependent() || !expression.getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  const auto value = expression.getIntegerConstantExpr(ast);
  return value && !value->isNegative() && value->getActiveBits() <= kMostBits
             ? std::optional<std::uint64_t>(value->getZExtValue())
             : std::nullopt;
}

class ValueSources::Finder : public clang::DynamicRecursiveASTVisitor {
public:
  Finder(const clang::SourceManager &sources, ValueSources &found)
      : sources_(sources), found_(found) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    if (declaration && !isa<clang::TranslationUnitDecl>(declaration) &&
        sources_.isInSystemHeader(sources_.getExpansionLoc(declaration->getLocation())))
      return true;
    const clang::FunctionDecl *outer = around_;
    if (const auto *function = dyn_cast_or_null<clang::FunctionDecl>(declaration))
      around_ = function;
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    around_ = outer;
    return goOn;
  }
  /// What a lambda returns is no result of the function around it.
  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) override {
    const clang::FunctionDecl *outer = std::exchange(around_, lambda->getCallOperator());
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    around_ = outer;
    return goOn;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (variable->hasInit() && !isa<clang::ParmVarDecl>(variable))
      bind(*variable, *variable->getInit());
    return true;
  }
  bool VisitFieldDecl(clang::FieldDecl *field) override {
    if (field->hasInClassInitializer() && field->getInClassInitializer())
      bind(*field, *field->getInClassInitializer());
    return true;
  }
  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) override {
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      if (initialiser->isMemberInitializer())
        bind(*initialiser->getMember(), *initialiser->getInit());
    return true;
  }
  bool VisitInitListExpr(clang::InitListExpr *list) override {
    const clang::CXXRecordDecl *record =
        list->isSemanticForm() ? list->getType()->getAsCXXRecordDecl() : nullptr;
    if (!record || record->isUnion())
      return true;
    unsigned index = record->getNumBases();
    for (const clang::FieldDecl *field : record->fields())
      if (!field->isUnnamedBitField() && index < list->getNumInits())
        bind(*field, *list->getInit(index++));
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *operation) override {
    const clang::ValueDecl *target =
        operation->isAssignmentOp() ? named(*operation->getLHS()) : nullptr;
    if (target && operation->getOpcode() == clang::BO_Assign)
      bind(*target, *operation->getRHS());
    else if (target)
      change(*operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *operation) override {
    if (operation->isIncrementDecrementOp() || operation->getOpcode() == clang::UO_AddrOf)
      change(*operation->getSubExpr());
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt *statement) override {
    if (around_ && statement->getRetValue())
      bind(*around_, *statement->getRetValue());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return true;
    llvm::ArrayRef<const clang::Expr *> arguments(call->getArgs(), call->getNumArgs());
    if (isa<clang::CXXOperatorCallExpr>(call) && isa<clang::CXXMethodDecl>(callee))
      arguments = arguments.drop_front(); // the object
    pass(*callee, arguments);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override {
    pass(*made->getConstructor(), {made->getArgs(), made->getNumArgs()});
    return true;
  }

private:
  static bool isChangeable(clang::QualType type) {
    return type->isReferenceType() && !type->getPointeeType().isConstQualified();
  }
  void pass(const clang::FunctionDecl &callee, llvm::ArrayRef<const clang::Expr *> arguments) {
    for (unsigned i = 0; i < arguments.size() && i < callee.getNumParams(); ++i)
      bind(*callee.getParamDecl(i), *arguments[i]);
  }
  void bind(const clang::ValueDecl &declaration, const clang::Expr &value) {
    if (isChangeable(declaration.getType()))
      change(value);
    // In the pattern of a template, `member(value)` has no type yet.
    if (!value.getType().isNull() && value.getType()->isIntegerType())
      found_.given_[placeOf(declaration)].expressions.push_back(&value);
  }
  void change(const clang::Expr &value) {
    if (const clang::ValueDecl *declaration = named(value))
      found_.given_[placeOf(*declaration)].isChanged = true;
  }

  const clang::SourceManager &sources_;
  ValueSources &found_;
  const clang::FunctionDecl *around_ = nullptr;
};

ValueSources::ValueSources(ParsedUnit &unit) : ast_(unit.ast()) {
  Finder(unit.sources(), *this).TraverseDecl(unit.ast().getTranslationUnitDecl());
}

const std::vector<const clang::Expr *> &ValueSources::of(clang::SourceLocation place) const {
  static const std::vector<const clang::Expr *> kNothing;
  const auto entry = given_.find(place);
  return entry == given_.end() ? kNothing : entry->second.expressions;
}

bool ValueSources::isChanged(clang::SourceLocation place) const {
  const auto entry = given_.find(place);
  return entry != given_.end() && entry->second.isChanged;
}

std::set<std::uint64_t> ValueSources::constantsOnly(const clang::Expr &expression) const {
  std::set<clang::SourceLocation> seen;
  std::set<std::uint64_t> constants;
  return addConstants(expression, seen, constants) ? constants : std::set<std::uint64_t>();
}

bool ValueSources::addConstants(const clang::Expr &expression,
                                std::set<clang::SourceLocation> &seen,
                                std::set<std::uint64_t> &constants) const {
  if (const std::optional<std::uint64_t> constant = constantOf(expression, ast_)) {
    constants.insert(*constant);
    return true;
  }
  const clang::ValueDecl *declaration = named(expression);
  if (!declaration || (isa<clang::VarDecl>(declaration) && !isa<clang::ParmVarDecl>(declaration)))
    return false;
  const clang::SourceLocation place = placeOf(*declaration);
  if (!seen.insert(place).second)
    return true;
  const auto entry = given_.find(place);
  if (entry == given_.end() || entry->second.isChanged)
    return false;
  for (const clang::Expr *value : entry->second.expressions)
    if (!addConstants(*value, seen, constants))
      return false;
  return !entry->second.expressions.empty();
}

} // namespace relayout::instrument
