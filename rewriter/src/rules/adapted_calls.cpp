// SPDX-License-Identifier: Apache-2.0
// Edits the arguments of calls whose functions stay as they are.
#include "rules/adapted_calls.h"

#include "legality/evaluation_order.h"
#include "legality/whole_records.h"
#include "relayout/instrument/clang/untyped_functions.h"
#include "rules/element_edits.h"
#include "rules/memory_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

const char *const kRemedy = "allocate it by cudaMalloc";

/// How often an expression names a declaration.
unsigned timesNamed(const clang::Stmt *expression, const clang::ValueDecl &declaration) {
  if (!expression)
    return 0;
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression);
  const auto *member = dyn_cast<clang::MemberExpr>(expression);
  unsigned times = (name && name->getDecl() == &declaration) ||
                           (member && member->getMemberDecl() == &declaration)
                       ? 1
                       : 0;
  for (const clang::Stmt *child : expression->children())
    times += timesNamed(child, declaration);
  return times;
}

/// The whole expression at whose end temporaries go.
const clang::Stmt &fullExpression(const Program &program, const clang::CallExpr &call) {
  const clang::Stmt *current = &call;
  while (const auto *around = dyn_cast_or_null<clang::Expr>(program.index.parentOf(current).stmt))
    current = around;
  return *current;
}

/// What `&p` or `&state->p` is the address of; null for anything else.
const clang::ValueDecl *filledIn(const clang::Expr &address) {
  const auto *unary = dyn_cast<clang::UnaryOperator>(&address);
  if (!unary || unary->getOpcode() != clang::UO_AddrOf)
    return nullptr;
  const clang::Expr *pointer = unary->getSubExpr()->IgnoreParens();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(pointer))
    return name->getDecl();
  const auto *member = dyn_cast<clang::MemberExpr>(pointer);
  return member ? member->getMemberDecl() : nullptr;
}

Step allocation(Climb &climb, const clang::CallExpr &call, const clang::Expr &argument,
                const clang::Expr &size) {
  const Program &program = climb.program;
  const std::string name = call.getDirectCallee()->getNameAsString();
  const auto refuse = [&](const std::string &why) {
    return refused(Code::PointerEscapes, fmt::format("'{}' {}", name, why), call.getExprLoc(),
                   kRemedy);
  };
  const clang::Expr &address = *behindVoidCasts(&argument);
  const clang::ValueDecl *pointer = filledIn(address);
  if (!pointer || hasEffects(program, address))
    return refuse("is given the address of something that is no variable or member");
  if (timesNamed(&fullExpression(program, call), *pointer) != 1)
    return refuse(fmt::format("fills in '{}', which is used in the same expression",
                              pointer->getNameAsString()));
  if (hasEffects(program, size) || namesArrays(program, &size))
    return refuse("is given a number of bytes that cannot be written twice");
  if (!countsWholeRecords(program, size, *climb.target.record))
    return refuse("is given a number of bytes that is not written as one of elements");
  const std::optional<FileRange> bytes = climb.reader.range(size.getSourceRange());
  if (!bytes)
    return {.refusal = refusalOfEdit(program, climb.target, size.getExprLoc())};
  climb.need(ViewOperation::FillIn);
  const GeneratedNames &names = climb.target.names;
  TokenEdits edits = climb.edits();
  if (std::optional<Refusal> refusal = dropVoidCasts(edits, &argument))
    return {.refusal = std::move(refusal)};
  edits.insertBefore(address, spelledFor(climb.target, names.filler(), climb.function) + "(");
  edits.insertAfter(address, fmt::format(", {})", climb.reader.text(*bytes)));
  return climb.done(std::move(edits));
}

Step release(Climb &climb, const clang::Expr &argument) {
  TokenEdits edits = climb.edits();
  if (std::optional<Refusal> refusal = dropVoidCasts(edits, &argument))
    return {.refusal = std::move(refusal)};
  if (pointsToConst(argument))
    climb.program.parts[&climb.target].freesConst = true;
  const clang::Expr &view = *behindVoidCasts(&argument);
  const bool wrap = !isPostfix(&view);
  if (wrap)
    edits.insertBefore(view, "(");
  edits.insertAfter(view, fmt::format("{}.{}()", wrap ? ")" : "", climb.target.names.allocation));
  return climb.done(std::move(edits));
}

} // namespace

std::optional<Step> adaptedCall(Climb &climb, const clang::CallExpr &call,
                                const clang::Expr &argument, const clang::ParmVarDecl &parameter) {
  const clang::FunctionDecl &callee = *call.getDirectCallee();
  const clang::FunctionDecl *body = climb.program.linked.bodyOf(climb.program, callee).body;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  if (!body || (method && method->isVirtual()))
    return std::nullopt;
  const unsigned position = parameter.getFunctionScopeIndex();
  if (instrument::untypedLevel(parameter.getType()) == 1)
    return instrument::onlyFrees(*body, position) ? std::optional(release(climb, argument))
                                                  : std::nullopt;
  const auto made = instrument::allocationThrough(*body, position);
  // The object of a lambda's or another operator stands first among its arguments.
  const unsigned objects = isa<clang::CXXOperatorCallExpr>(call) && method ? 1 : 0;
  if (!made || !parameter.getType()->getPointeeType()->isVoidPointerType() ||
      made->size + objects >= call.getNumArgs())
    return std::nullopt;
  return allocation(climb, call, argument, *call.getArg(made->size + objects));
}

} // namespace relayout::rewriter
