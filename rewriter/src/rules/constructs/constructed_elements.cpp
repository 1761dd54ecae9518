// SPDX-License-Identifier: Apache-2.0
// Elements made in their place: `new (p + i) R(a)` becomes `p.store(i, R(a))`.
#include "legality/constructed_members.h"
#include "legality/element_effects.h"
#include "legality/evaluation_order.h"
#include "legality/value_use.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"
#include "rules/memory_calls.h"

#include "relayout/instrument/clang/placement_new.h"

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::dyn_cast;

namespace {

Step refusedHere(const clang::CXXNewExpr &made, const std::string &why, const char *remedy) {
  return refused(Code::UnsupportedElementUse, why, made.getBeginLoc(), remedy);
}

/// Why an object made elsewhere and stored is not the same.
std::optional<Step> obstacle(const Climb &climb, const clang::CXXNewExpr &made,
                             const clang::Expr &place) {
  const clang::CXXRecordDecl *record = made.getAllocatedType()->getAsCXXRecordDecl();
  if (!record || record->getCanonicalDecl() != climb.target.record->getCanonicalDecl())
    return refusedHere(made, "an object of another type is made in the place of an element",
                       "make an object of the array's own type");
  if (!isDiscarded(climb.program.index, made))
    return refusedHere(made, "the address that 'new' returns is used",
                       "make it a statement of its own");
  const clang::Expr *value = made.getInitializer();
  if (!value)
    return refusedHere(made, "an element is made without values for its members",
                       "give its constructor parentheses, or assign the element");
  if (const auto *call = dyn_cast<clang::CXXConstructExpr>(value->IgnoreImplicit());
      call && !onlyInitialises(climb.program, *call->getConstructor()))
    return refusedHere(made, "the constructor of an element may do more than to set its members",
                       "assign the element");
  if (const clang::FieldDecl *unset = unsetMember(climb.program, *value))
    return refusedHere(made,
                       fmt::format("the constructor of an element may leave '{}' as it was",
                                   unset->getNameAsString()),
                       "set it in the constructor");
  if (orderMatters(climb.program, place, *value))
    return refusedHere(made, "the place and the values of an element depend on each other's order",
                       "compute the values into variables first");
  return std::nullopt;
}

/// The `new` that a pointer is the place for, as it is or cast to `void *`.
const clang::CXXNewExpr *newAround(const Climb &climb, const clang::Expr &place) {
  const clang::Stmt *child = &place;
  const clang::Stmt *parent = climb.program.index.parentOf(child).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::CastExpr>(parent)) {
    child = parent;
    parent = climb.program.index.parentOf(parent).stmt;
  }
  const auto *made = dyn_cast_or_null<clang::CXXNewExpr>(parent);
  return made && instrument::placeOf(*made) == child ? made : nullptr;
}

/// Replaces what is around the place: `new (`, what is between it and the type, and the end.
/// \param place  what is left of the expression for it
Step editAround(Climb &climb, TokenEdits edits, const clang::CXXNewExpr &made,
                const clang::Expr &place, const std::string &between) {
  const std::optional<FileRange> whole = climb.reader.range(made.getSourceRange());
  const std::optional<FileRange> kept = climb.reader.range(place.getSourceRange());
  const std::optional<FileRange> value = climb.reader.range(
      {made.getAllocatedTypeSourceInfo()->getTypeLoc().getBeginLoc(), made.getEndLoc()});
  if (!whole || !kept || !value || kept->begin.path != whole->begin.path)
    edits.fail(made.getBeginLoc());
  if (edits.failed())
    return climb.done(std::move(edits));
  edits.add({{whole->begin, kept->begin.offset}, ""});
  edits.add({{{kept->begin.path, kept->end}, value->begin.offset}, between});
  const bool hasValues = made.getInitializationStyle() != clang::CXXNewInitializationStyle::None;
  edits.add({{{whole->begin.path, whole->end}, whole->end},
             hasValues ? ")" : "())",
             {0, -long(whole->begin.offset)}});
  climb.need(ViewOperation::Store);
  climb.noteStore();
  return climb.done(std::move(edits));
}

} // namespace

/// `new (&p[i]) R(a);` becomes `p.store(i, R(a));`.
std::optional<Step> elementMadeInPlace(Climb &climb, const Place &here, const Parent &around) {
  const auto *address = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  const clang::CXXNewExpr *made =
      address && address->getOpcode() == clang::UO_AddrOf ? newAround(climb, *address) : nullptr;
  const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(here.element.whole);
  if (!made || !subscript || here.expression != subscript)
    return std::nullopt; // any other element's address is a pointer
  if (std::optional<Step> refusal = obstacle(climb, *made, *subscript))
    return refusal;
  TokenEdits edits = climb.edits();
  edits.replaceBrackets(*subscript, fmt::format(".{}(", climb.target.names.store), ", ");
  return editAround(climb, std::move(edits), *made, *subscript, "");
}

/// `new (p + i) R(a);` becomes `p.store(i, R(a));`, and `new (q) R(a);` `q.store(0, R(a));`.
std::optional<Step> untypedInNew(Climb &climb, const Place &here, const Parent &) {
  const clang::CXXNewExpr *made = newAround(climb, *here.expression);
  if (!made)
    return std::nullopt;
  const clang::Expr *place = behindVoidCasts(here.expression)->IgnoreParenImpCasts();
  if (std::optional<Step> refusal = obstacle(climb, *made, *place))
    return refusal;
  const std::string open = fmt::format(".{}(", climb.target.names.store);
  TokenEdits edits = climb.edits();
  const auto *sum = dyn_cast<clang::BinaryOperator>(place);
  const std::optional<FileRange> sign = sum && sum->getOpcode() == clang::BO_Add &&
                                                climb.isView(sum->getLHS()) &&
                                                isPostfix(sum->getLHS())
                                            ? climb.reader.tokenRange(sum->getOperatorLoc())
                                            : std::nullopt;
  if (sign) {
    edits.add({withSpaceAround(*sign, climb.reader), open});
    return editAround(climb, std::move(edits), *made, *place, ", ");
  }
  const bool isNamed = isPostfix(place);
  if (!isNamed)
    edits.insertBefore(*place, "(");
  return editAround(climb, std::move(edits), *made, *place, (isNamed ? "" : ")") + open + "0, ");
}

} // namespace relayout::rewriter
