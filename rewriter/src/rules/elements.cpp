// SPDX-License-Identifier: Apache-2.0
// The edits of elements: `p[i].x`, `*p`, `p->x`, `&p[i]`, `p[i] = e`, `sizeof(*p)`.
#include "legality/evaluation_order.h"
#include "rules/uses.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <cctype>

namespace relayout::rewriter {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

/// An expression that `.member` can follow without parentheses.
bool isPostfix(const clang::Expr *expression) {
  expression = expression->IgnoreImpCasts();
  return isa<clang::DeclRefExpr, clang::MemberExpr, clang::ParenExpr, clang::ArraySubscriptExpr>(
             expression) ||
         (isa<clang::CallExpr>(expression) && !isa<clang::CXXOperatorCallExpr>(expression));
}

/// An index that `view + index` takes without parentheses, evaluated as it was.
bool standsAlone(const clang::Expr *index) {
  index = index->IgnoreImpCasts();
  return isPostfix(index) || isa<clang::IntegerLiteral>(index) ||
         isa<clang::PseudoObjectExpr>(index);
}

} // namespace

bool UseRewriter::replaceToken(Use &use, clang::SourceLocation token, const std::string &expected,
                               const std::string &text) {
  const std::optional<clang::SourceLocation> spelled = reader_.spelled(token);
  const std::optional<FileRange> range = spelled ? reader_.tokenRange(*spelled) : std::nullopt;
  if (!range || reader_.text(*range) != expected) {
    refuseMacro(use, token);
    return false;
  }
  use.edits.push_back({*range, text});
  return true;
}

void UseRewriter::insertBefore(Use &use, const clang::Expr &expression, const std::string &text) {
  const std::optional<FileRange> range = reader_.range(expression.getSourceRange());
  if (!range)
    return refuseMacro(use, expression.getExprLoc());
  use.edits.push_back({{range->begin, range->begin.offset}, text, {1, -long(range->end)}});
}

void UseRewriter::insertAfter(Use &use, const clang::Expr &expression, const std::string &text) {
  const std::optional<FileRange> range = reader_.range(expression.getSourceRange());
  if (!range)
    return refuseMacro(use, expression.getExprLoc());
  use.edits.push_back(
      {{{range->begin.path, range->end}, range->end}, text, {0, -long(range->begin.offset)}});
}

bool UseRewriter::replaceBracket(Use &use, const clang::ArraySubscriptExpr &subscript,
                                 std::string open, std::string close) {
  const auto *index = dyn_cast<clang::BinaryOperator>(subscript.getIdx()->IgnoreImpCasts());
  if (index && index->isCommaOp()) { // would be two arguments
    open += '(';
    close.insert(0, ")");
  }
  const std::optional<clang::SourceLocation> baseEnd =
      reader_.spelled(subscript.getLHS()->getEndLoc());
  const std::optional<clang::Token> bracket = baseEnd ? reader_.tokenAfter(*baseEnd) : std::nullopt;
  if (!bracket) {
    refuseMacro(use, subscript.getExprLoc());
    return false;
  }
  return replaceToken(use, bracket->getLocation(), "[", open) &&
         replaceToken(use, subscript.getRBracketLoc(), "]", close);
}

bool UseRewriter::dropStar(Use &use, const Element &element) {
  const auto *dereference = cast<clang::UnaryOperator>(element.whole);
  if (!replaceToken(use, dereference->getOperatorLoc(), "*", ""))
    return false;
  FileRange &star = use.edits.back().range;
  const std::string &file = reader_.fileText(star.begin.path);
  while (star.end < file.size() && file[star.end] == ' ')
    ++star.end;
  return true;
}

void UseRewriter::dropParens(Use &use, const Element &element, bool keepOne) {
  for (std::size_t i = keepOne ? 1 : 0; i < element.parens.size(); ++i)
    if (!replaceToken(use, element.parens[i]->getLParen(), "(", "") ||
        !replaceToken(use, element.parens[i]->getRParen(), ")", ""))
      return;
}

/// \param isExploded  more arguments follow, and whoever calls closes the list
void UseRewriter::editField(Use &use, const Element &element, const clang::MemberExpr &member,
                            bool isExploded) {
  const std::string name = member.getMemberDecl()->getNameAsString();
  if (member.hasQualifier() || member.hasTemplateKeyword())
    return refuse(use, Code::UnsupportedElementUse,
                  fmt::format("member '{}' is named with its class", name), member.getMemberLoc(),
                  "name it plainly");
  const std::optional<FileRange> nameToken = reader_.tokenRange(member.getMemberLoc());
  if (!nameToken || reader_.text(*nameToken) != name)
    return refuseMacro(use, member.getMemberLoc());
  const Edit call{{{nameToken->begin.path, nameToken->end}, nameToken->end},
                  isExploded ? "(0, " : "()",
                  {0, -long(nameToken->begin.offset)}};
  switch (element.form) {
  case Element::Form::Subscript:
    dropParens(use, element, false);
    if (replaceBracket(use, *cast<clang::ArraySubscriptExpr>(element.whole),
                       fmt::format(".{}(", name), isExploded ? ", " : ")") &&
        replaceToken(use, member.getOperatorLoc(), ".", ""))
      use.edits.push_back({*nameToken, ""});
    return;
  case Element::Form::Dereference:
    if (dropStar(use, element)) {
      dropParens(use, element, !isPostfix(element.view));
      use.edits.push_back(call);
    }
    return;
  case Element::Form::Arrow:
    if (replaceToken(use, member.getOperatorLoc(), "->", "."))
      use.edits.push_back(call);
    return;
  case Element::Form::Reference:
    use.edits.push_back(call);
    return;
  }
}

void UseRewriter::editLoad(Use &use, const Element &element, const clang::MemberExpr *method) {
  switch (element.form) {
  case Element::Form::Subscript:
    replaceBracket(use, *cast<clang::ArraySubscriptExpr>(element.whole), ".load(", ")");
    return;
  case Element::Form::Dereference:
    if (!dropStar(use, element))
      return;
    if (!isPostfix(element.view)) {
      insertBefore(use, *element.view, "(");
      insertAfter(use, *element.view, ").load()");
    } else {
      insertAfter(use, *element.view, ".load()");
    }
    return;
  case Element::Form::Arrow:
    if (!method || method->isImplicitAccess())
      return refuseMacro(use, element.whole->getExprLoc());
    replaceToken(use, method->getOperatorLoc(), "->", ".load().");
    return;
  case Element::Form::Reference:
    insertAfter(use, *element.whole, ".load()");
    return;
  }
}

void UseRewriter::editAddress(Use &use, const Element &element, const clang::Expr *address) {
  bool wrap = false;
  if (address) {
    const clang::Expr *current = address;
    const clang::Stmt *parent = program_.index.parentOf(current).stmt;
    while (isa_and_nonnull<clang::ImplicitCastExpr, clang::FullExpr>(parent)) {
      current = cast<clang::Expr>(parent);
      parent = program_.index.parentOf(current).stmt;
    }
    const auto *binary = dyn_cast_or_null<clang::BinaryOperator>(parent);
    wrap = element.form == Element::Form::Subscript && element.parens.empty() && parent &&
           !isa<clang::ParenExpr, clang::ReturnStmt, clang::InitListExpr, clang::CXXConstructExpr>(
               parent) &&
           !(isa<clang::CallExpr>(parent) && !isa<clang::CXXOperatorCallExpr>(parent)) &&
           !(binary && (binary->isAssignmentOp() || binary->isComparisonOp()));
    if (!replaceToken(use, cast<clang::UnaryOperator>(address)->getOperatorLoc(), "&",
                      wrap ? "(" : ""))
      return;
  }
  switch (element.form) {
  case Element::Form::Subscript: {
    const auto *subscript = cast<clang::ArraySubscriptExpr>(element.whole);
    const bool bare = standsAlone(subscript->getRHS());
    replaceBracket(use, *subscript, bare ? " + " : " + (",
                   fmt::format("{}{}", bare ? "" : ")", wrap ? ")" : ""));
    return;
  }
  case Element::Form::Dereference:
    dropStar(use, element);
    return;
  case Element::Form::Arrow:
  case Element::Form::Reference:
    return;
  }
}

/// `sizeof(p[i])` becomes `sizeof(Particle)`.
void UseRewriter::replaceSizeof(Use &use, const clang::UnaryExprOrTypeTraitExpr &size,
                                const std::string &name) {
  const clang::Expr *operand = size.getArgumentExpr();
  std::optional<FileRange> range = reader_.range(operand->getSourceRange());
  if (!range)
    return refuseMacro(use, size.getExprLoc());
  const std::string &file = reader_.fileText(range->begin.path);
  while (range->begin.offset > 0 && file[range->begin.offset - 1] == ' ')
    --range->begin.offset;
  use.edits.push_back({*range, fmt::format("({})", spelledFor(*use.target, name, use.function))});
}

/// `p[i] = e;` becomes `p.store(i, e);`. The arguments of a call are evaluated in any order, the
/// sides of an assignment right before left; where that can matter, the edit is refused.
void UseRewriter::store(Use &use, const Element &element,
                        const clang::CXXOperatorCallExpr &assignment) {
  if (use.function)
    storing_.insert(use.function);
  if (!isDiscarded(&assignment))
    return refuse(use, Code::UnsupportedElementUse,
                  "the value of an assignment to an element is used", assignment.getOperatorLoc(),
                  "make the assignment a statement of its own");
  const clang::Expr *value = assignment.getArg(1);
  const auto *name = dyn_cast<clang::DeclRefExpr>(value->IgnoreParenImpCasts());
  const bool valueIsOwn = name && name->getType()->isRecordType() &&
                          !mayChange(element.whole, {dyn_cast<clang::VarDecl>(name->getDecl())});
  if (orderOfStoreMatters(program_, *element.whole, *value) && !valueIsOwn)
    return refuse(use, Code::UnsupportedElementUse,
                  "element and value of an assignment depend on each other's order",
                  assignment.getOperatorLoc(), "compute the value into a variable first");

  const std::optional<FileRange> sign = reader_.tokenRange(assignment.getOperatorLoc());
  const std::optional<FileRange> right = reader_.range(value->getSourceRange());
  if (!sign || !right || reader_.text(*sign) != "=" || right->begin.path != sign->begin.path)
    return refuseMacro(use, assignment.getOperatorLoc());
  dropParens(use, element, false);
  std::string open = ".store(0, ";
  switch (element.form) {
  case Element::Form::Subscript:
    if (!replaceBracket(use, *cast<clang::ArraySubscriptExpr>(element.whole), ".store(", ", "))
      return;
    open.clear();
    break;
  case Element::Form::Dereference:
    if (!dropStar(use, element))
      return;
    if (!isPostfix(element.view)) {
      insertBefore(use, *element.view, "(");
      open.insert(0, ")");
    }
    break;
  case Element::Form::Arrow:
  case Element::Form::Reference:
    break;
  }
  // The sign goes with the blanks around it, so that `p[i] = e` reads `p.store(i, e`.
  const std::string &file = reader_.fileText(sign->begin.path);
  FileRange gone = *sign;
  while (gone.begin.offset > 0 &&
         (file[gone.begin.offset - 1] == ' ' || file[gone.begin.offset - 1] == '\t'))
    --gone.begin.offset;
  while (gone.end < file.size() && (file[gone.end] == ' ' || file[gone.end] == '\t'))
    ++gone.end;
  use.edits.push_back({gone, open});
  use.edits.push_back(
      {{{right->begin.path, right->end}, right->end}, ")", {0, -long(gone.begin.offset)}});
}

} // namespace relayout::rewriter
