// SPDX-License-Identifier: Apache-2.0
// Looks at how the last statement of a body ends.
#include "host/missing_returns.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// A constant condition, or none.
bool isAlways(const clang::Expr *condition, const clang::ASTContext &ast) {
  bool value = false;
  return !condition || (!condition->isValueDependent() &&
                        condition->EvaluateAsBooleanCondition(value, ast) && value);
}

/// A `break` or `goto`, of whichever loop.
bool mayLeave(const clang::Stmt *body) {
  if (!body || isa<clang::LambdaExpr>(body))
    return false;
  return isa<clang::BreakStmt, clang::GotoStmt>(body) ||
         std::ranges::any_of(body->children(), mayLeave);
}

/// False where the end of the statement is not reached, as far as its form tells.
bool mayGoOn(const clang::Stmt *statement, const clang::ASTContext &ast) {
  if (!statement)
    return true;
  if (isa<clang::ReturnStmt, clang::CXXThrowExpr, clang::CoreturnStmt>(statement))
    return false;
  if (const auto *block = dyn_cast<clang::CompoundStmt>(statement))
    return block->body_empty() || mayGoOn(block->body_back(), ast);
  if (const auto *branch = dyn_cast<clang::IfStmt>(statement))
    return mayGoOn(branch->getThen(), ast) || mayGoOn(branch->getElse(), ast);
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(statement))
    return mayGoOn(wrapper->getSubExpr(), ast);
  if (const auto *attempt = dyn_cast<clang::CXXTryStmt>(statement)) {
    bool goesOn = mayGoOn(attempt->getTryBlock(), ast);
    for (unsigned i = 0; i < attempt->getNumHandlers(); ++i)
      goesOn |= mayGoOn(attempt->getHandler(i)->getHandlerBlock(), ast);
    return goesOn;
  }
  if (const auto *loop = dyn_cast<clang::WhileStmt>(statement))
    return !isAlways(loop->getCond(), ast) || mayLeave(loop->getBody());
  if (const auto *loop = dyn_cast<clang::ForStmt>(statement))
    return !isAlways(loop->getCond(), ast) || mayLeave(loop->getBody());
  return true;
}

/// `{}` makes such a value.
bool isMadeOfNothing(clang::QualType type) {
  if (type->getContainedDeducedType()) // `auto` would be an initialiser list
    return false;
  if (type->isScalarType())
    return true;
  const clang::CXXRecordDecl *record =
      type->isDependentType() ? nullptr : type->getAsCXXRecordDecl();
  return record && record->hasDefinition() && record->isAggregate() && record->getNumBases() == 0 &&
         std::ranges::all_of(record->fields(), [](const clang::FieldDecl *field) {
           return field->getType()->getBaseElementTypeUnsafe()->isScalarType();
         });
}

/// `S &operator=(…)`
bool mayReturnItself(const clang::FunctionDecl &function) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  const clang::QualType type = function.getReturnType();
  if (!method || !method->isInstance() || !type->isLValueReferenceType())
    return false;
  const clang::QualType object = type.getNonReferenceType();
  const clang::CXXRecordDecl *record = object->getAsCXXRecordDecl();
  return record && record->getCanonicalDecl() == method->getParent()->getCanonicalDecl() &&
         object.getQualifiers().compatiblyIncludes(method->getMethodQualifiers(),
                                                   method->getASTContext());
}

/// Empty: none is known.
std::string lastStatement(const clang::FunctionDecl &function) {
  if (mayReturnItself(function))
    return "return *this; ";
  return isMadeOfNothing(function.getReturnType()) ? "return {}; " : std::string();
}

class Ends : public clang::DynamicRecursiveASTVisitor {
public:
  Ends(ParsedUnit &unit, TokenEdits &edits) : unit_(unit), edits_(edits) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const clang::ASTContext &ast = unit_.ast();
    const clang::SourceManager &sources = unit_.sources();
    if (!function->doesThisDeclarationHaveABody() || function->isMain() ||
        !isa_and_nonnull<clang::CompoundStmt>(function->getBody()) ||
        !unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(function->getLocation()))) ||
        !mayGoOn(function->getBody(), ast))
      return true;
    if (const auto brace = edits_.indexOf(function->getBodyRBrace()))
      edits_.insertBefore(*brace, lastStatement(*function));
    return true;
  }

private:
  ParsedUnit &unit_;
  TokenEdits &edits_;
};

} // namespace

void addMissingReturns(ParsedUnit &unit, TokenEdits &edits) {
  if (unit.ast().getLangOpts().CPlusPlus)
    Ends(unit, edits).TraverseAST(unit.ast());
}

} // namespace relayout::instrument
