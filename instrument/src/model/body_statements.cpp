// SPDX-License-Identifier: Apache-2.0
// Walks one device function in evaluation order: its statements.
#include "model/body_walker.h"

#include "model/straight_line.h"
#include "model/volatile_accesses.h"
#include "relayout/instrument/clang/compatibility.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace relayout::instrument {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

namespace {

/// What `#pragma unroll N` asks for.
std::optional<std::uint32_t> unrollPragma(const clang::AttributedStmt &statement,
                                          clang::ASTContext &context) {
  for (const clang::Attr *attribute : statement.getAttrs())
    if (const auto *hint = dyn_cast<clang::LoopHintAttr>(attribute)) {
      clang::Expr::EvalResult count;
      if (hint->getOption() == clang::LoopHintAttr::UnrollCount && hint->getValue() &&
          !hint->getValue()->isValueDependent() && hint->getValue()->EvaluateAsInt(count, context))
        return static_cast<std::uint32_t>(count.Val.getInt().getZExtValue());
      if (hint->getOption() == clang::LoopHintAttr::Unroll)
        return hint->getState() == clang::LoopHintAttr::Disable ? 1u : trace::code::kUnrollAll;
    }
  return std::nullopt;
}

/// PTX that waits for other lanes, or ends a thread inside a function.
bool needsFibers(const clang::GCCAsmStmt &assembly) {
  const std::string text = compatibility::textOf(assembly);
  return text.find("shfl.") != std::string::npos || text.find("exit") != std::string::npos;
}

} // namespace

void BodyWalker::walkFunction(const clang::FunctionDecl *function) {
  function_ = function;
  notes_.beginFunction(function);
  if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(function))
    for (const clang::CXXCtorInitializer *initializer : constructor->inits())
      if (initializer->isWritten())
        walk(initializer->getInit());
  instance_.synchronises |=
      context_.facts.describesCode && !volatileAccesses(function->getBody()).empty();
  walk(function->getBody());
  notes_.endFunction();
}

void BodyWalker::walkChildren(const clang::Stmt *statement) {
  for (const clang::Stmt *child : statement->children())
    walk(child);
}

/// What never runs has its probes as well.
void BodyWalker::walkPart(const clang::Stmt *part, std::optional<const clang::Stmt *> never,
                          Use use) {
  const bool isUnreachable = part && never && *never == part;
  if (isUnreachable)
    notes_.addStep(trace::code::Unreachable{});
  walk(part, use);
  if (isUnreachable)
    notes_.addStep(trace::code::UnreachableEnd{});
}

void BodyWalker::walk(const clang::Stmt *statement, Use use) {
  if (!statement)
    return;
  if (const auto *expression = dyn_cast<clang::Expr>(statement))
    return walkExpression(expression, use);
  switch (statement->getStmtClass()) {
  case clang::Stmt::ForStmtClass:
  case clang::Stmt::WhileStmtClass:
  case clang::Stmt::DoStmtClass:
  case clang::Stmt::CXXForRangeStmtClass:
    return walkLoop(statement);
  case clang::Stmt::DeclStmtClass:
    return walkDeclaration(cast<clang::DeclStmt>(statement));
  case clang::Stmt::ReturnStmtClass:
    return walkInitializer(cast<clang::ReturnStmt>(statement)->getRetValue(),
                           function_->getReturnType());
  case clang::Stmt::IfStmtClass:
    return walkIf(cast<clang::IfStmt>(statement));
  case clang::Stmt::CaseStmtClass:
  case clang::Stmt::DefaultStmtClass:
    notes_.addStep(trace::code::Jump{});
    return walkChildren(statement);
  case clang::Stmt::SwitchStmtClass:
    walkChildren(statement);
    return notes_.addStep(trace::code::Jump{});
  case clang::Stmt::AttributedStmtClass: {
    const auto *attributed = cast<clang::AttributedStmt>(statement);
    unrollCount_ = unrollPragma(*attributed, context_.unit.ast());
    return walk(attributed->getSubStmt());
  }
  case clang::Stmt::LabelStmtClass:
    notes_.addStep(trace::code::Jump{});
    notes_.warn(Code::JumpTarget,
                fmt::format("label '{}': warps that jump here are grouped only approximately",
                            cast<clang::LabelStmt>(statement)->getName()),
                statement->getBeginLoc());
    return walkChildren(statement);
  case clang::Stmt::GCCAsmStmtClass:
    instance_.synchronises |= needsFibers(*cast<clang::GCCAsmStmt>(statement));
    [[fallthrough]];
  case clang::Stmt::MSAsmStmtClass:
    notes_.warn(Code::InlineAssembly, "inline assembly: what memory it touches is not traced",
                statement->getBeginLoc());
    return;
  default:
    return walkChildren(statement);
  }
}

void BodyWalker::walkIf(const clang::IfStmt *branch) {
  if (branch->isConstexpr()) {
    walk(branch->getInit());
    if (const auto taken = branch->getNondiscardedCase(context_.unit.ast()))
      walk(*taken);
    return;
  }
  const auto never = neverRuns(*branch, context_.unit.ast());
  const trace::code::Branch step = branchOf(*branch, context_.unit.ast());
  for (const clang::Stmt *child : branch->children()) {
    if (!never && child && (child == branch->getThen() || child == branch->getElse()))
      notes_.addStep(step);
    walkPart(child, never);
  }
  if (!never)
    notes_.addStep(step);
}

void BodyWalker::walkDeclaration(const clang::DeclStmt *declaration) {
  for (const clang::Decl *member : declaration->decls()) {
    const auto *variable = dyn_cast<clang::VarDecl>(member);
    if (variable && variable->hasAttr<clang::CUDASharedAttr>()) {
      instance_.synchronises = true;
      if (!variable->getType()->isIncompleteType()) // dynamic memory
        instance_.sharedBytes += static_cast<std::uint32_t>(
            context_.unit.ast().getTypeSizeInChars(variable->getType()).getQuantity());
    }
    if (!variable || !variable->getInit() || variable->isConstexpr())
      continue;
    traced_ = keepsToItsArray(*variable) ? variable->getInit()->IgnoreParenImpCasts() : nullptr;
    walkInitializer(variable->getInit(), variable->getType());
  }
}

/// What a variable or a function's result of this type is made of.
void BodyWalker::walkInitializer(const clang::Expr *value, clang::QualType type) {
  if (!value)
    return;
  if (type->isReferenceType())
    return walk(value, bindingUse(type));
  const clang::AutoType *placeholder = type->getContainedAutoType();
  const clang::Expr *named = value->IgnoreUnlessSpelledInSource();
  if (!placeholder || !placeholder->isDecltypeAuto() || !isa<clang::MemberExpr>(named))
    return walk(value);
  // A probe is no name of a member any more, and makes a reference of the type.
  notes_.warn(Code::NotTraceable,
              "'decltype(auto)' takes its type from this access, which is not traced",
              named->getExprLoc());
  walk(named);
}

void BodyWalker::walkLoop(const clang::Stmt *loop) {
  const Point *outer = notes_.loop;
  Point *point = nullptr;
  if (isEnteredSideways(loop)) {
    notes_.warn(Code::JumpTarget, "control can jump into this loop: its iterations are not traced",
                loop->getBeginLoc());
  } else if ((point =
                  notes_.addPoint(PointKind::Loop, {loop->getBeginLoc(), loop->getBeginLoc()}))) {
    point->loop = outer;
    point->walkedLoop = loop;
    if (context_.isHostPass)
      point->loopStatement = loop;
    notes_.loop = point;
  }
  const std::optional<std::uint32_t> pragma = std::exchange(unrollCount_, std::nullopt);
  clang::ASTContext &ast = context_.unit.ast();
  const bool isSingle = runsOnce(*loop, ast);
  const std::optional<std::uint32_t> trips = constantTrips(*loop, ast);
  if (isSingle)
    notes_.addStep(trace::code::SingleTrip{}, point);
  else
    notes_.addStep(trace::code::Loop{trace::kNone, trips, pragma}, point);
  const std::size_t accesses = notes_.accesses;
  walkLoopParts(loop);
  if (point && point->inHostPass && source_.takesProbes)
    point->isCounted |= !trips || notes_.accesses != accesses;
  if (!isSingle)
    notes_.addStep(trace::code::LoopEnd{});
  notes_.loop = outer;
}

void BodyWalker::walkLoopParts(const clang::Stmt *loop) {
  if (const auto *counted = dyn_cast<clang::ForStmt>(loop)) {
    walk(counted->getInit());
    if (counted->getConditionVariableDeclStmt())
      walk(counted->getConditionVariableDeclStmt());
    walk(counted->getCond());
    walk(counted->getBody());
    walk(counted->getInc());
  } else if (const auto *range = dyn_cast<clang::CXXForRangeStmt>(loop)) {
    walk(range->getInit());
    const clang::VarDecl *variable = range->getLoopVariable();
    const bool mayWrite = variable->getType()->isLValueReferenceType() &&
                          !variable->getType().getNonReferenceType().isConstQualified();
    const clang::Expr *array = range->getRangeInit();
    // An array that is a member counts where the loop begins, as a whole.
    walk(array, !array->getType()->isConstantArrayType() ? Use::None
                : mayWrite                               ? Use::ReadWrite
                                                         : Use::ReadInPlace);
    if (context_.userRecord(variable->getType()))
      notes_.warn(Code::NotTraceable,
                  "this loop copies a whole record in each iteration, which is not traced",
                  variable->getLocation());
    walk(range->getBody());
  } else if (const auto *tested = dyn_cast<clang::WhileStmt>(loop)) {
    if (tested->getConditionVariableDeclStmt())
      walk(tested->getConditionVariableDeclStmt());
    walk(tested->getCond());
    walk(tested->getBody());
  } else {
    const auto *repeated = cast<clang::DoStmt>(loop);
    walk(repeated->getBody());
    walk(repeated->getCond());
  }
}

} // namespace relayout::instrument
