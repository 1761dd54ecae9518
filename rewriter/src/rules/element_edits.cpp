// SPDX-License-Identifier: Apache-2.0
// The text of elements.
#include "rules/element_edits.h"

#include "relayout/instrument/clang/record_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

namespace {

/// An index that `view + index` takes without parentheses, evaluated as it was.
bool standsAlone(const clang::Expr *index) {
  index = index->IgnoreImpCasts();
  return isPostfix(index) || isa<clang::IntegerLiteral>(index) ||
         isa<clang::PseudoObjectExpr>(index);
}

/// True where `view + index` needs parentheses in place of `&view[index]`.
bool needsParens(const ParentIndex &index, const clang::Expr &address) {
  const clang::Expr *current = &address;
  const clang::Stmt *parent = index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ImplicitCastExpr, clang::FullExpr>(parent)) {
    current = cast<clang::Expr>(parent);
    parent = index.parentOf(current).stmt;
  }
  if (!parent ||
      isa<clang::ParenExpr, clang::ReturnStmt, clang::InitListExpr, clang::CXXConstructExpr>(
          parent))
    return false;
  if (isa<clang::CallExpr>(parent))
    return isa<clang::CXXOperatorCallExpr>(parent);
  const auto *binary = dyn_cast<clang::BinaryOperator>(parent);
  return !binary || (!binary->isAssignmentOp() && !binary->isComparisonOp());
}

} // namespace

std::size_t numberOf(const Target &target, const clang::FieldDecl &field) {
  const std::vector<const clang::FieldDecl *> fields = instrument::allFields(target.record);
  return static_cast<std::size_t>(std::ranges::find(fields, &field) - fields.begin());
}

bool isExploded(const Target &target, const clang::FieldDecl &field) {
  const std::size_t number = numberOf(target, field);
  for (const analysis::Cluster &cluster : target.layout.clusters)
    if (cluster.exploded && std::ranges::count(cluster.fields, number) != 0)
      return true;
  return false;
}

bool isPostfix(const clang::Expr *expression) {
  expression = expression->IgnoreImpCasts();
  return isa<clang::DeclRefExpr, clang::MemberExpr, clang::ParenExpr, clang::ArraySubscriptExpr>(
             expression) ||
         (isa<clang::CallExpr>(expression) && !isa<clang::CXXOperatorCallExpr>(expression));
}

std::optional<Step> refusalOfName(const clang::MemberExpr &member) {
  if (!member.hasQualifier() && !member.hasTemplateKeyword())
    return std::nullopt;
  return refused(
      Code::UnsupportedElementUse,
      fmt::format("member '{}' is named with its class", member.getMemberDecl()->getNameAsString()),
      member.getMemberLoc(), "name it plainly");
}

void editField(TokenEdits &edits, const Element &element, const clang::MemberExpr &member,
               bool isExploded) {
  const std::string name = member.getMemberDecl()->getNameAsString();
  const std::optional<FileRange> token = edits.reader().tokenRange(member.getMemberLoc());
  if (!token || edits.reader().text(*token) != name)
    return edits.fail(member.getMemberLoc());
  const Edit call{{{token->begin.path, token->end}, token->end},
                  isExploded ? "(0, " : "()",
                  {0, -long(token->begin.offset)}};
  switch (element.form) {
  case Element::Form::Subscript:
    for (const clang::ParenExpr *parens : element.parens)
      edits.dropParens(*parens);
    edits.replaceBrackets(*cast<clang::ArraySubscriptExpr>(element.whole),
                          fmt::format(".{}(", name), isExploded ? ", " : ")");
    edits.replace(member.getOperatorLoc(), ".", "");
    return edits.add({*token, ""});
  case Element::Form::Dereference:
    edits.dropStar(*cast<clang::UnaryOperator>(element.whole));
    for (std::size_t i = isPostfix(element.view) ? 0 : 1; i < element.parens.size(); ++i)
      edits.dropParens(*element.parens[i]);
    return edits.add(call);
  case Element::Form::Arrow:
    edits.replace(member.getOperatorLoc(), "->", ".");
    return edits.add(call);
  case Element::Form::Reference:
  case Element::Form::Choice:
    return edits.add(call);
  }
}

void editLoad(TokenEdits &edits, Climb &climb, const Element &element,
              const clang::MemberExpr *method) {
  climb.need(element.isConst ? ViewOperation::LoadConst : ViewOperation::LoadMutable);
  switch (element.form) {
  case Element::Form::Subscript:
    return edits.replaceBrackets(*cast<clang::ArraySubscriptExpr>(element.whole), ".load(", ")");
  case Element::Form::Dereference:
    edits.dropStar(*cast<clang::UnaryOperator>(element.whole));
    if (isPostfix(element.view))
      return edits.insertAfter(*element.view, ".load()");
    edits.insertBefore(*element.view, "(");
    return edits.insertAfter(*element.view, ").load()");
  case Element::Form::Arrow:
    if (!method || method->isImplicitAccess())
      return edits.fail(element.whole->getExprLoc());
    return edits.replace(method->getOperatorLoc(), "->", ".load().");
  case Element::Form::Reference:
    return edits.insertAfter(*element.whole, ".load()");
  case Element::Form::Choice:
    if (!element.parens.empty())
      return edits.insertAfter(*element.parens.front(), ".load()");
    edits.insertBefore(*element.whole, "(");
    return edits.insertAfter(*element.whole, ").load()");
  }
}

void editAddress(TokenEdits &edits, Climb &climb, const Element &element,
                 const clang::UnaryOperator *address) {
  const bool wrap = address && element.form == Element::Form::Subscript && element.parens.empty() &&
                    needsParens(climb.program.index, *address);
  if (address)
    edits.replace(address->getOperatorLoc(), "&", wrap ? "(" : "");
  switch (element.form) {
  case Element::Form::Subscript: {
    const auto *subscript = cast<clang::ArraySubscriptExpr>(element.whole);
    const bool bare = standsAlone(subscript->getRHS());
    climb.needOn(element.isConst, ViewOperation::Add);
    return edits.replaceBrackets(*subscript, bare ? " + " : " + (",
                                 fmt::format("{}{}", bare ? "" : ")", wrap ? ")" : ""));
  }
  case Element::Form::Dereference:
    return edits.dropStar(*cast<clang::UnaryOperator>(element.whole));
  case Element::Form::Arrow:
  case Element::Form::Reference:
  case Element::Form::Choice:
    return;
  }
}

void editSizeof(TokenEdits &edits, const Climb &climb, const clang::UnaryExprOrTypeTraitExpr &size,
                const std::string &name) {
  const clang::Expr *operand = size.getArgumentExpr();
  std::optional<FileRange> range = edits.reader().range(operand->getSourceRange());
  if (!range)
    return edits.fail(size.getExprLoc());
  const std::string &file = edits.reader().fileText(range->begin.path);
  while (range->begin.offset > 0 && file[range->begin.offset - 1] == ' ')
    --range->begin.offset;
  edits.add({*range, fmt::format("({})", spelledFor(climb.target, name, climb.function))});
}

} // namespace relayout::rewriter
