// SPDX-License-Identifier: Apache-2.0
// Where a pointer may go: into declarations that become views too.
#include "legality/forwarded_arguments.h"
#include "legality/library_functions.h"
#include "relayout/instrument/clang/launches_by_call.h"
#include "relayout/instrument/clang/pointer_exchange.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"
#include "rules/pointer_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::cast;
using clang::isa;

/// `std::swap(p, q)`, or what does the same.
std::optional<Step> swappedPointer(Climb &climb, const Place &, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (!call || call->getNumArgs() != 2 || !climb.isView(call->getArg(0)) ||
      !climb.isView(call->getArg(1)))
    return std::nullopt;
  const bool isStandard =
      runtimeName(climb.program, *call) == "swap" && call->getDirectCallee()->isInStdNamespace();
  if (!isStandard && !instrument::exchangesPointers(*call))
    return std::nullopt;
  return done();
}

/// `R *old = std::exchange(p, q);`
std::optional<Step> exchangedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (const auto *value = dyn_cast_or_null<clang::MaterializeTemporaryExpr>(around.stmt)) {
    call = dyn_cast_or_null<clang::CallExpr>(climb.program.index.parentOf(value).stmt);
    return call && isExchange(*call) ? std::optional(climbTo(pointerAt(value))) : std::nullopt;
  }
  if (!call || !isExchange(*call) || !climb.isView(call->getArg(0)) ||
      !climb.isView(call->getArg(1)))
    return std::nullopt;
  return call->getArg(0) == here.expression ? climbTo(pointerAt(call)) : done();
}

/// `R *p = std::move(q);`
std::optional<Step> movedPointer(Climb &climb, const Place &, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  return call && isMove(*call) && climb.isView(call->getArg(0))
             ? std::optional(climbTo(pointerAt(call)))
             : std::nullopt;
}

/// `cudaLaunchKernelEx(&configuration, kernel, p)`
std::optional<Step> launchedPointer(Climb &climb, const Place &here, const Parent &around) {
  const clang::Expr *argument = here.expression;
  if (const auto *value = dyn_cast_or_null<clang::MaterializeTemporaryExpr>(around.stmt))
    argument = value; // for `A &&`
  const clang::Stmt *parent =
      argument == here.expression ? around.stmt : climb.program.index.parentOf(argument).stmt;
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  const auto launch = call ? instrument::launchByCall(*call) : std::nullopt;
  if (!launch)
    return std::nullopt;
  const auto given = std::ranges::find(launch->arguments, argument);
  return given != launch->arguments.end() &&
                 climb.flowsInto(launch->kernel->getParamDecl(
                     static_cast<unsigned>(given - launch->arguments.begin())))
             ? std::optional(done())
             : std::nullopt;
}

std::optional<Step> passedPointer(Climb &climb, const Place &here, const Parent &around) {
  const clang::Expr *argument = here.expression;
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (const auto *value = dyn_cast_or_null<clang::MaterializeTemporaryExpr>(around.stmt)) {
    argument = value; // for `const A &`
    call = dyn_cast_or_null<clang::CallExpr>(climb.program.index.parentOf(value).stmt);
  }
  if (!call)
    return std::nullopt;
  if (launchesParameter(climb.program, *call))
    return done();
  const auto *given =
      dyn_cast<clang::DeclRefExpr>(here.expression->IgnoreParenImpCasts()); // of std::forward
  if (isForwardCall(*call) && given && isForwarded(climb.program, *given->getDecl()))
    return climbTo(pointerAt(call));
  const std::string name = runtimeName(climb.program, *call);
  if (climb.flowsInto(parameterFor(*call, *argument)))
    return done();
  return refused(
      Code::PointerEscapes,
      name.empty()
          ? "the pointer is passed to a function whose body is not known, or as another type"
          : fmt::format("the pointer is passed to '{}'", name),
      here.expression->getExprLoc(), "pass it to functions of this program, as its own type");
}

namespace {

/// True for a construction that the language puts in to convert its argument.
bool isImplicitConversion(const Climb &climb, const clang::CXXConstructExpr &construction) {
  const auto *conversion =
      dyn_cast_or_null<clang::ImplicitCastExpr>(climb.program.index.parentOf(&construction).stmt);
  return conversion && conversion->getCastKind() == clang::CK_ConstructorConversion;
}

/// True where a pointer to records is given to a parameter that points to const ones.
bool addsConst(const clang::Expr &argument) {
  return argument.getType()->getPointeeType().isConstQualified() &&
         !argument.IgnoreParenImpCasts()->getType()->getPointeeType().isConstQualified();
}

} // namespace

/// `Cursor(p)`, or `f(p)` where the parameter is made of a pointer. From a view to one of const
/// records and on to the parameter would be two conversions: the first is written out.
std::optional<Step> pointerInConstruction(Climb &climb, const Place &here, const Parent &around) {
  const auto *construction = dyn_cast_or_null<clang::CXXConstructExpr>(around.stmt);
  if (!construction)
    return std::nullopt;
  const clang::CXXConstructorDecl &constructor = *construction->getConstructor();
  for (unsigned i = 0; i < construction->getNumArgs() && i < constructor.getNumParams(); ++i)
    if (construction->getArg(i) == here.expression &&
        climb.flowsInto(constructor.getParamDecl(i))) {
      TokenEdits edits = climb.edits();
      if (isImplicitConversion(climb, *construction) && addsConst(*here.expression))
        convertTo(spelledFor(climb.target, climb.target.names.constView, climb.function),
                  *here.expression, climb, edits);
      return climb.done(std::move(edits));
    }
  return std::nullopt;
}

/// `Pair{p, n}`, `R *p{q}`.
std::optional<Step> pointerInList(Climb &climb, const Place &here, const Parent &around) {
  const auto *list = dyn_cast_or_null<clang::InitListExpr>(around.stmt);
  if (!list)
    return std::nullopt;
  if (list->getType()->isPointerType() || list->getType()->isArrayType())
    return climbTo(pointerAt(list));
  const clang::InitListExpr *semantic = list->isSemanticForm() ? list : list->getSemanticForm();
  const clang::CXXRecordDecl *record =
      semantic ? semantic->getType()->getAsCXXRecordDecl() : nullptr;
  if (!record)
    return std::nullopt;
  unsigned index = record->getNumBases();
  for (const clang::FieldDecl *field : record->fields()) {
    if (field->isUnnamedBitField())
      continue;
    if (index < semantic->getNumInits() && semantic->getInit(index) == here.expression &&
        climb.flowsInto(field))
      return done();
    ++index;
  }
  return std::nullopt;
}

std::optional<Step> pointerInChoice(Climb &climb, const Place &here, const Parent &around) {
  const auto *choice = dyn_cast_or_null<clang::ConditionalOperator>(around.stmt);
  if (!choice || choice->getCond() == here.expression)
    return std::nullopt;
  const clang::Expr *other =
      choice->getTrueExpr() == here.expression ? choice->getFalseExpr() : choice->getTrueExpr();
  if (!climb.isView(other))
    return std::nullopt;
  return climbTo(pointerAt(choice));
}

std::optional<Step> returnedPointer(Climb &climb, const Place &, const Parent &around) {
  if (!isa_and_nonnull<clang::ReturnStmt>(around.stmt) || !climb.function ||
      !climb.flowsInto(climb.function))
    return std::nullopt;
  return done();
}

/// A capture; the uses inside the lambda are names of their own.
std::optional<Step> capturedPointer(Climb &, const Place &here, const Parent &around) {
  if (!isa_and_nonnull<clang::LambdaExpr>(around.stmt) ||
      !isa<clang::DeclRefExpr>(here.expression->IgnoreImpCasts()))
    return std::nullopt;
  return done();
}

/// `sizeof(rows)`; null for a type's.
const clang::Expr *measuredBy(const clang::Expr &side) {
  const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(side.IgnoreParenImpCasts());
  return size && size->getKind() == clang::UETT_SizeOf && !size->isArgumentType()
             ? size->getArgumentExpr()->IgnoreParens()
             : nullptr;
}

/// `sizeof(rows) / sizeof(rows[0])`, where both grow alike.
bool countsPointers(const Climb &climb, const clang::UnaryExprOrTypeTraitExpr &size) {
  const clang::Stmt *around = climb.program.index.parentOf(&size).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::ImplicitCastExpr>(around))
    around = climb.program.index.parentOf(around).stmt;
  const auto *quotient = dyn_cast_or_null<clang::BinaryOperator>(around);
  if (!quotient || quotient->getOpcode() != clang::BO_Div)
    return false;
  const clang::Expr *whole = measuredBy(*quotient->getLHS());
  const clang::Expr *part = measuredBy(*quotient->getRHS());
  const clang::ArrayType *rows = whole ? whole->getType()->getAsArrayTypeUnsafe() : nullptr;
  return rows && part && rows->getElementType() == part->getType() &&
         climb.program.flow.groupOf(whole) == climb.program.flow.groupOf(part);
}

std::optional<Step> sizeOfPointer(Climb &climb, const Place &, const Parent &around) {
  const auto *size = dyn_cast_or_null<clang::UnaryExprOrTypeTraitExpr>(around.stmt);
  if (!size)
    return std::nullopt;
  if (countsBytesOfPointers(climb, *size) || countsPointers(climb, *size))
    return done();
  return refused(Code::UnsupportedElementUse, "the size of the pointer itself is taken",
                 size->getExprLoc(), "a view has another size than a pointer");
}

/// `R *q = p;`, a member's default, a constructor's initialiser.
std::optional<Step> initialisingPointer(Climb &climb, const Place &here, const Parent &around) {
  if (around.initialiser)
    return around.initialiser->isMemberInitializer() &&
                   climb.flowsInto(around.initialiser->getMember())
               ? std::optional(done())
               : std::nullopt;
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl);
  const auto *field = dyn_cast_or_null<clang::FieldDecl>(around.decl);
  const bool isInitial = (variable && variable->getInit() == here.expression) ||
                         (field && field->getInClassInitializer() == here.expression);
  if (!isInitial || !climb.flowsInto(cast<clang::ValueDecl>(around.decl)))
    return std::nullopt;
  return done();
}

} // namespace relayout::rewriter
