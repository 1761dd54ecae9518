// SPDX-License-Identifier: Apache-2.0
// Containers of pointers in host code: `std::vector<R *> parts` becomes `std::vector<RView> parts`,
// and its elements are views. What algorithms and iterators do with them is not followed.
#include "legality/library_functions.h"
#include "legality/value_use.h"
#include "rules/constructs.h"

#include "relayout/instrument/clang/pointer_containers.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace relayout::rewriter {

using clang::cast;
using clang::isa;
using instrument::isPointerContainer;

namespace {

bool isOneOf(const clang::FunctionDecl &method, std::initializer_list<std::string_view> names) {
  return method.getDeclName().isIdentifier() &&
         std::ranges::find(names, std::string_view(method.getName())) != names.end();
}

/// `std::size(parts)`.
bool isCounted(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  return callee && callee->isInStdNamespace() && isOneOf(*callee, {"size", "empty"});
}

/// A call of a method: of elements, or of the container as a whole.
std::optional<Step> calledOn(Climb &climb, const clang::CallExpr &call) {
  const clang::FunctionDecl *method = call.getDirectCallee();
  if (!method)
    return std::nullopt;
  if (method->getOverloadedOperator() == clang::OO_Subscript ||
      isOneOf(*method, {"at", "front", "back", "data"}))
    return climbTo(pointerAt(&call));
  const bool isKnown =
      method->getOverloadedOperator() == clang::OO_Equal ||
      isOneOf(*method, {"size", "empty", "capacity", "reserve", "resize", "clear", "shrink_to_fit",
                        "push_back", "emplace_back", "pop_back", "assign", "fill", "swap"});
  const bool tells = isOneOf(*method, {"size", "empty", "capacity"});
  if (!isKnown || !(tells || isDiscarded(climb.program.index, call)))
    return std::nullopt;
  return done(); // what it is given is judged with all that flows into views
}

/// True for what is written between the braces of `{a, b}`, up to what takes the list.
bool isOfList(const clang::Stmt *around) {
  return isa_and_nonnull<clang::InitListExpr, clang::CXXStdInitializerListExpr,
                         clang::MaterializeTemporaryExpr, clang::FullExpr>(around);
}

/// True where a container of views is called, and keeps what it is given.
bool isKeptByContainer(const Climb &climb, const clang::CallExpr &call, const clang::Expr &given) {
  const clang::Expr *container = instrument::containerCalled(call);
  return container && container != &given && climb.isView(container);
}

/// What takes a value: `Container c = value;`, a member's initialiser, a list, a result.
std::optional<Step> containerTaken(Climb &climb, const clang::Expr &value, const Parent &around) {
  if (around.initialiser)
    return climb.flowsInto(around.initialiser->getMember()) ? std::optional(done()) : std::nullopt;
  if (const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl))
    return variable->getInit() == &value && climb.flowsInto(variable) ? std::optional(done())
                                                                      : std::nullopt;
  if (const auto *field = dyn_cast_or_null<clang::FieldDecl>(around.decl))
    return climb.flowsInto(field) ? std::optional(done()) : std::nullopt;
  if (isa_and_nonnull<clang::ReturnStmt>(around.stmt))
    return climb.function && climb.flowsInto(climb.function) ? std::optional(done()) : std::nullopt;
  if (const auto *list = dyn_cast_or_null<clang::InitListExpr>(around.stmt);
      list && list->getType()->isRecordType() && !isPointerContainer(list->getType()))
    return pointerInList(climb, {.what = Reached::Container, .expression = &value}, around);
  if (isa_and_nonnull<clang::LambdaExpr>(around.stmt))
    return done(); // what the lambda does with it is looked at by itself
  return std::nullopt;
}

bool isSwapped(const Climb &climb, const clang::CallExpr &call) {
  return runtimeName(climb.program, call) == "swap" && call.getDirectCallee()->isInStdNamespace() &&
         call.getNumArgs() == 2 && climb.isView(call.getArg(0)) && climb.isView(call.getArg(1));
}

/// Clang gives lambdas of the host the device's attribute, too.
bool isInDeviceCode(const clang::FunctionDecl *function) {
  const auto *device = function ? function->getAttr<clang::CUDADeviceAttr>() : nullptr;
  return (device && !device->isImplicit()) ||
         (function && function->hasAttr<clang::CUDAGlobalAttr>());
}

} // namespace

std::optional<Step> containerOnDevice(Climb &climb, const Place &here, const Parent &) {
  if (!isInDeviceCode(climb.function))
    return std::nullopt;
  return refused(Code::PointerEscapes, "a container of pointers is used in device code",
                 here.expression->getExprLoc(), "pass the pointers, or an array of them");
}

/// A conversion to const, a temporary, a copy, with or without its type.
std::optional<Step> containerAlone(Climb &, const Place &, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  const auto *copy = dyn_cast_or_null<clang::CXXConstructExpr>(around.stmt);
  const bool isSame = (conversion && conversion->getCastKind() == clang::CK_NoOp) ||
                      isa_and_nonnull<clang::MaterializeTemporaryExpr, clang::CXXBindTemporaryExpr,
                                      clang::CXXFunctionalCastExpr>(around.stmt) ||
                      (copy && copy->getConstructor()->isCopyOrMoveConstructor());
  if (!isSame || !isPointerContainer(cast<clang::Expr>(around.stmt)->getType()))
    return std::nullopt;
  return climbTo({.what = Reached::Container, .expression = cast<clang::Expr>(around.stmt)});
}

/// `parts[i]`, `parts.size()`, `parts.push_back(p)`, `parts = others`.
std::optional<Step> methodOfContainer(Climb &climb, const Place &here, const Parent &around) {
  const clang::Stmt *called = around.stmt;
  if (const auto *member = dyn_cast_or_null<clang::MemberExpr>(called);
      member && member->getBase() == here.expression)
    called = climb.program.index.parentOf(member).stmt;
  const auto *call = dyn_cast_or_null<clang::CallExpr>(called);
  if (!call)
    return std::nullopt;
  const clang::Expr *container = instrument::containerCalled(*call);
  if (container == here.expression && !heldTypeMade(container))
    return calledOn(climb, *call);
  const bool isAnothers = container && isKeptByContainer(climb, *call, *here.expression);
  return isAnothers ? calledOn(climb, *call) : std::nullopt;
}

/// `for (R *p : parts)`.
std::optional<Step> loopOverContainer(Climb &, const Place &here, const Parent &around) {
  const auto *loop = dyn_cast_or_null<clang::CXXForRangeStmt>(around.stmt);
  return loop && loop->getRangeInit() == here.expression && !heldTypeMade(here.expression)
             ? std::optional(done())
             : std::nullopt;
}

/// `use(parts)`, `std::move(parts)`, `std::swap(parts, others)`, `auto &all = parts;`.
std::optional<Step> containerPassedOn(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (!call)
    return containerTaken(climb, *here.expression, around);
  if (isForwardCall(*call))
    return climbTo({.what = Reached::Container, .expression = call});
  if (climb.flowsInto(parameterFor(*call, *here.expression)) || isSwapped(climb, *call) ||
      isCounted(*call))
    return done();
  return std::nullopt;
}

/// `parts.push_back(p)`, `std::vector<R *> parts(n, p)`.
std::optional<Step> pointerIntoContainer(Climb &climb, const Place &here, const Parent &around) {
  const clang::Expr *given = here.expression;
  const clang::Stmt *outer = around.stmt;
  if (isa<clang::InitListExpr>(given))
    while (isOfList(outer) && !isPointerContainer(cast<clang::Expr>(outer)->getType())) {
      given = cast<clang::Expr>(outer);
      outer = climb.program.index.parentOf(outer).stmt;
    }
  else if (const auto *value = dyn_cast_or_null<clang::MaterializeTemporaryExpr>(outer)) {
    given = value; // for `R *const &`
    outer = climb.program.index.parentOf(value).stmt;
  }
  if (isa_and_nonnull<clang::InitListExpr, clang::CXXConstructExpr>(outer) &&
      isPointerContainer(cast<clang::Expr>(outer)->getType()))
    return climbTo({.what = Reached::Container, .expression = cast<clang::Expr>(outer)});
  const auto *call = dyn_cast_or_null<clang::CallExpr>(outer);
  return call && isKeptByContainer(climb, *call, *given) ? calledOn(climb, *call) : std::nullopt;
}

} // namespace relayout::rewriter
