// SPDX-License-Identifier: Apache-2.0
// Addresses of arrays that a program prints: of a view, that of its allocation.
#include "legality/execution_space.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"
#include "rules/memory_calls.h"

namespace relayout::rewriter {
namespace {

/// In host code: the allocation is the host's to know.
bool isPrint(const Climb &climb, const clang::Stmt *call) {
  if (isDeclaredForDevice(climb.function))
    return false;
  const auto *print = clang::dyn_cast_or_null<clang::CallExpr>(call);
  const std::string name = print ? runtimeName(climb.program, *print) : std::string();
  return name == "printf" || name == "fprintf";
}

Step printed(Climb &climb, const clang::Expr &view, TokenEdits edits) {
  if (pointsToConst(view))
    climb.program.parts[&climb.target].freesConst = true;
  const bool wrap = !isPostfix(&view);
  if (wrap)
    edits.insertBefore(view, "(");
  edits.insertAfter(view, (wrap ? ")." : ".") + climb.target.names.allocation + "()");
  return climb.done(std::move(edits));
}

} // namespace

/// `printf("%p", p)`. A plain array may be a string.
std::optional<Step> printedPointer(Climb &climb, const Place &here, const Parent &around) {
  return isPrint(climb, around.stmt) && !climb.target.shape.isScalar
             ? std::optional(printed(climb, *here.expression, climb.edits()))
             : std::nullopt;
}

/// `printf("%p", (void *)p)`; what `char *` leads to may be printed as a string.
std::optional<Step> untypedPrinted(Climb &climb, const Place &here, const Parent &around) {
  if (!isPrint(climb, around.stmt) || !here.expression->getType()->isVoidPointerType())
    return std::nullopt;
  TokenEdits edits = climb.edits();
  if (std::optional<Refusal> refusal = dropVoidCasts(edits, here.expression))
    return Step{.refusal = std::move(refusal)};
  return printed(climb, *behindVoidCasts(here.expression), std::move(edits));
}

} // namespace relayout::rewriter
