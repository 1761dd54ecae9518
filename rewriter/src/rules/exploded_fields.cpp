// SPDX-License-Identifier: Apache-2.0
// Array members that are stored one plane an array element: `rows[i].value[k]` becomes
// `rows.value(i, k)`. There is no array any more, so that every use must name one element of it.
#include "legality/evaluation_order.h"
#include "rules/uses.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

bool UseRewriter::isExploded(const Use &use, const clang::MemberExpr &member) {
  const auto *field = dyn_cast<clang::FieldDecl>(member.getMemberDecl());
  if (!field)
    return false;
  for (const analysis::Cluster &cluster : use.target->layout.clusters)
    if (cluster.exploded && std::ranges::count(cluster.fields, field->getFieldIndex()) != 0)
      return true;
  return false;
}

void UseRewriter::explodedField(Use &use, const Element &element, const clang::MemberExpr &member) {
  const std::string name = member.getMemberDecl()->getNameAsString();
  const auto *field = cast<clang::FieldDecl>(member.getMemberDecl());
  const std::size_t levels = use.target->shape.fields[field->getFieldIndex()].extents.size();
  std::vector<const clang::ArraySubscriptExpr *> subscripts;
  std::vector<const clang::ParenExpr *> parens;
  const clang::Expr *current = &member;
  while (subscripts.size() < levels) {
    const clang::Stmt *parent = program_.index.parentOf(current).stmt;
    if (const auto *size = dyn_cast_or_null<clang::UnaryExprOrTypeTraitExpr>(parent);
        size && size->getKind() == clang::UETT_SizeOf && subscripts.empty() && parens.size() < 2)
      return replaceSizeof(use, *size, use.target->shape.name + "::" + name);
    if (const auto *paren = dyn_cast_or_null<clang::ParenExpr>(parent)) {
      parens.push_back(paren);
      current = paren;
      continue;
    }
    const auto *decay = dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
    const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(
        decay ? program_.index.parentOf(decay).stmt : nullptr);
    if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay || !subscript ||
        subscript->getLHS() != decay)
      return refuse(
          use, Code::ArrayMemberUsedWhole,
          fmt::format("'{}' is used as an array, and its elements are to lie apart", name),
          current->getExprLoc(),
          "subscript it where it stands, or choose a layout that keeps the array whole");
    subscripts.push_back(subscript);
    current = subscript;
  }

  std::vector<const clang::Expr *> arguments = {element.view};
  if (element.form == Element::Form::Subscript)
    arguments.push_back(cast<clang::ArraySubscriptExpr>(element.whole)->getIdx());
  for (const clang::ArraySubscriptExpr *subscript : subscripts)
    arguments.push_back(subscript->getIdx());
  for (std::size_t a = 0; a < arguments.size(); ++a)
    for (std::size_t b = a + 1; b < arguments.size(); ++b)
      if (orderMatters(program_, *arguments[a], *arguments[b]))
        return refuse(use, Code::UnsupportedElementUse,
                      "subscripts of an access depend on each other's order",
                      arguments[b]->getExprLoc(), "compute them into variables first");

  editField(use, element, member, /*isExploded=*/true);
  for (const clang::ParenExpr *paren : parens)
    if (!replaceToken(use, paren->getLParen(), "(", "") ||
        !replaceToken(use, paren->getRParen(), ")", ""))
      return;
  for (const clang::ArraySubscriptExpr *subscript : subscripts)
    if (!replaceBracket(use, *subscript, subscript == subscripts.front() ? "" : ", ",
                        subscript == subscripts.back() ? ")" : ""))
      return;
  UseRewriter::field(use, current, element.isConst);
}

} // namespace relayout::rewriter
