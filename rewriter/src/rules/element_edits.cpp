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
  return static_cast<std::size_t>(std::ranges::find(fields, &instrument::placedField(field)) -
                                  fields.begin());
}

const clang::FieldDecl *fieldOf(const Target &target, const clang::Expr &part) {
  for (const clang::Expr *at = part.IgnoreParenImpCasts();;) {
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at)) {
      at = subscript->getBase()->IgnoreParenImpCasts();
      continue;
    }
    const auto *member = dyn_cast<clang::MemberExpr>(at);
    const auto *field = member ? dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
    if (!field || numberOf(target, *field) < target.shape.fields.size())
      return field;
    if (member->isArrow())
      return nullptr;
    at = member->getBase()->IgnoreParenImpCasts();
  }
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

clang::SourceLocation operatorOf(const SourceReader &reader, const clang::MemberExpr &member) {
  const clang::SourceLocation noted = member.getOperatorLoc();
  const std::optional<FileRange> sign = reader.tokenRange(noted);
  if (sign && (reader.text(*sign) == "." || reader.text(*sign) == "->"))
    return noted;
  const std::optional<clang::SourceLocation> end = reader.spelled(member.getBase()->getEndLoc());
  const std::optional<clang::Token> next = end ? reader.tokenAfter(*end) : std::nullopt;
  return next ? next->getLocation() : noted;
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
               const std::string &field, bool isExploded) {
  const std::string name = member.getMemberDecl()->getNameAsString();
  const std::optional<FileRange> token = edits.reader().tokenRange(member.getMemberLoc());
  if (!token || edits.reader().text(*token) != name)
    return edits.fail(member.getMemberLoc());
  const std::string opening = isExploded ? "(0, " : "()";
  const Edit behind{
      {{token->begin.path, token->end}, token->end}, opening, {0, -long(token->begin.offset)}};
  const Edit call = field == name ? behind : Edit{*token, field + opening};
  switch (element.form) {
  case Element::Form::Subscript:
    for (const clang::ParenExpr *parens : element.parens)
      edits.dropParens(*parens);
    edits.replaceBrackets(*cast<clang::ArraySubscriptExpr>(element.whole),
                          fmt::format(".{}(", field), isExploded ? ", " : ")");
    edits.replace(operatorOf(edits.reader(), member), ".", "");
    return edits.add({*token, ""});
  case Element::Form::Dereference:
    edits.dropStar(*cast<clang::UnaryOperator>(element.whole));
    for (std::size_t i = isPostfix(element.view) ? 0 : 1; i < element.parens.size(); ++i)
      edits.dropParens(*element.parens[i]);
    return edits.add(call);
  case Element::Form::Arrow:
    edits.replace(operatorOf(edits.reader(), member), "->", ".");
    return edits.add(call);
  case Element::Form::Reference:
  case Element::Form::Choice:
    return edits.add(call);
  }
}

namespace {

/// `p[i]` becomes `p.name(i)`.
/// \param arrow  of `p->`; invalid elsewhere
void editCall(TokenEdits &edits, const Element &element, const std::string &name,
              clang::SourceLocation arrow) {
  const std::string call = fmt::format(".{}()", name);
  switch (element.form) {
  case Element::Form::Subscript:
    return edits.replaceBrackets(*cast<clang::ArraySubscriptExpr>(element.whole),
                                 fmt::format(".{}(", name), ")");
  case Element::Form::Dereference:
    edits.dropStar(*cast<clang::UnaryOperator>(element.whole));
    if (isPostfix(element.view))
      return edits.insertAfter(*element.view, call);
    edits.insertBefore(*element.view, "(");
    return edits.insertAfter(*element.view, ")" + call);
  case Element::Form::Arrow:
    if (arrow.isInvalid())
      return edits.fail(element.whole->getExprLoc());
    return edits.replace(arrow, "->", call + ".");
  case Element::Form::Reference:
    return edits.insertAfter(*element.whole, call);
  case Element::Form::Choice:
    if (!element.parens.empty())
      return edits.insertAfter(*element.parens.front(), call);
    edits.insertBefore(*element.whole, "(");
    return edits.insertAfter(*element.whole, ")" + call);
  }
}

} // namespace

void editLoad(TokenEdits &edits, Climb &climb, const Element &element,
              const clang::MemberExpr *method) {
  climb.need(element.isConst ? ViewOperation::LoadConst : ViewOperation::LoadMutable);
  editCall(edits, element, climb.target.names.load,
           method && !method->isImplicitAccess() ? operatorOf(edits.reader(), *method)
                                                 : clang::SourceLocation());
}

void editPart(TokenEdits &edits, const Element &element, const clang::MemberExpr &member) {
  const auto &field = *cast<clang::FieldDecl>(member.getMemberDecl());
  clang::SourceLocation arrow = operatorOf(edits.reader(), member);
  if (field.isAnonymousStructOrUnion()) {
    // The tree has no place for the `->`, as the member that it names is another.
    const std::optional<clang::SourceLocation> object =
        edits.reader().spelled(element.whole->getEndLoc());
    const std::optional<clang::Token> next = object && element.form == Element::Form::Arrow
                                                 ? edits.reader().tokenAfter(*object)
                                                 : std::nullopt;
    arrow = next ? next->getLocation() : clang::SourceLocation();
  }
  editCall(edits, element, instrument::nameOfField(field), arrow);
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

namespace {

/// True for what is alone in the parentheses behind a variable's name: `View(p)` would be a
/// parameter there, and the variable a function.
bool mayBeParameter(const ParentIndex &index, const clang::Expr &value) {
  Parent around = index.parentOf(&value);
  while (clang::isa_and_nonnull<clang::ParenExpr, clang::CastExpr, clang::CXXConstructExpr,
                                clang::ExprWithCleanups, clang::MaterializeTemporaryExpr,
                                clang::CXXBindTemporaryExpr>(around.stmt))
    around = index.parentOf(around.stmt);
  const auto *variable = clang::dyn_cast_or_null<clang::VarDecl>(around.decl);
  return variable && variable->getInitStyle() == clang::VarDecl::CallInit;
}

} // namespace

void convertTo(const std::string &type, const clang::Expr &value, const Climb &climb,
               TokenEdits &edits) {
  const bool isAlone = mayBeParameter(climb.program.index, value);
  const bool hasParens = clang::isa<clang::ParenExpr>(value);
  edits.insertBefore(value, (isAlone ? "(" : "") + type + (hasParens ? "" : "("));
  edits.insertAfter(value, std::string(isAlone ? ")" : "") + (hasParens ? "" : ")"));
}

} // namespace relayout::rewriter
