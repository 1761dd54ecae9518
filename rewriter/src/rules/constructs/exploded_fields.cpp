// SPDX-License-Identifier: Apache-2.0
// Array members that are stored one plane an array element: `rows[i].value[k]` becomes
// `rows.value(i, k)`. There is no array any more, so that every use must name one element of it.
#include "legality/evaluation_order.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;

namespace {

/// The subscripts behind an array member, and the parentheses between them.
struct Subscripts {
  std::vector<const clang::ArraySubscriptExpr *> all = {};
  std::vector<const clang::ParenExpr *> parens = {};
  const clang::Expr *outermost = nullptr;
  const clang::UnaryExprOrTypeTraitExpr *size = nullptr; ///< `sizeof p[i].value`
};

Subscripts subscriptsBehind(const ParentIndex &index, const clang::MemberExpr &member,
                            std::size_t levels) {
  Subscripts found{.outermost = &member};
  while (found.all.size() < levels) {
    const clang::Stmt *parent = index.parentOf(found.outermost).stmt;
    const auto *size = dyn_cast_or_null<clang::UnaryExprOrTypeTraitExpr>(parent);
    if (size && size->getKind() == clang::UETT_SizeOf && found.all.empty() &&
        found.parens.size() < 2) {
      found.size = size;
      return found;
    }
    if (const auto *paren = dyn_cast_or_null<clang::ParenExpr>(parent)) {
      found.parens.push_back(paren);
      found.outermost = paren;
      continue;
    }
    const auto *decay = dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
    const auto *subscript =
        dyn_cast_or_null<clang::ArraySubscriptExpr>(decay ? index.parentOf(decay).stmt : nullptr);
    if (!subscript || decay->getCastKind() != clang::CK_ArrayToPointerDecay ||
        subscript->getLHS() != decay)
      return found;
    found.all.push_back(subscript);
    found.outermost = subscript;
  }
  return found;
}

/// Two arguments of the accessor that may see each other's effects; the latter of them.
const clang::Expr *dependentArgument(const Program &program, const Element &element,
                                     const Subscripts &subscripts) {
  std::vector<const clang::Expr *> arguments = {element.view};
  if (element.form == Element::Form::Subscript)
    arguments.push_back(cast<clang::ArraySubscriptExpr>(element.whole)->getIdx());
  for (const clang::ArraySubscriptExpr *subscript : subscripts.all)
    arguments.push_back(subscript->getIdx());
  for (std::size_t a = 0; a < arguments.size(); ++a)
    for (std::size_t b = a + 1; b < arguments.size(); ++b)
      if (orderMatters(program, *arguments[a], *arguments[b]))
        return arguments[b];
  return nullptr;
}

} // namespace

std::optional<Step> explodedFieldOfElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  const auto *field = member ? dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  if (!field || !isExploded(climb.target, *field))
    return std::nullopt;
  const std::string name = field->getNameAsString();
  const std::size_t levels =
      climb.target.shape.fields[numberOf(climb.target, *field)].extents.size();
  const Subscripts subscripts = subscriptsBehind(climb.program.index, *member, levels);
  TokenEdits edits = climb.edits();
  if (subscripts.size) {
    editSizeof(edits, climb, *subscripts.size, climb.target.shape.name + "::" + name);
    return climb.done(std::move(edits));
  }
  if (subscripts.all.size() < levels)
    return refused(
        Code::ArrayMemberUsedWhole,
        fmt::format(
            "'{}' is used as an array, and its layout stores each element in a plane of its own",
            name),
        subscripts.outermost->getExprLoc(),
        "subscript it where it stands, or choose a layout that keeps the array whole");
  if (const clang::Expr *argument = dependentArgument(climb.program, here.element, subscripts))
    return refused(Code::UnsupportedElementUse,
                   "subscripts of an access depend on each other's order", argument->getExprLoc(),
                   "compute them into variables first");
  if (std::optional<Step> refusal = refusalOfName(*member))
    return refusal;
  editField(edits, here.element, *member, member->getMemberDecl()->getNameAsString(),
            /*isExploded=*/true);
  for (const clang::ParenExpr *paren : subscripts.parens)
    edits.dropParens(*paren);
  for (const clang::ArraySubscriptExpr *subscript : subscripts.all)
    edits.replaceBrackets(*subscript, subscript == subscripts.all.front() ? "" : ", ",
                          subscript == subscripts.all.back() ? ")" : "");
  return climb.climbTo(fieldAt(subscripts.outermost, here.element.isConst), std::move(edits));
}

} // namespace relayout::rewriter
