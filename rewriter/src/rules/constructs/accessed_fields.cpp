// SPDX-License-Identifier: Apache-2.0
// Accessors that return a reference to a member are that member: `p[i].mass()` becomes
// `p.mass_(i)`, `p[i][1]` becomes `p.y(i)`, or `p.e(i)[1]` of an array. Those that return its
// address lead to it.
#include "legality/accessors.h"
#include "relayout/instrument/clang/record_fields.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

namespace {

/// What an accessor names.
struct Accessed {
  const clang::FieldDecl *field = nullptr; ///< null: it is no such accessor
  bool isSubscripted = false;              ///< by the accessor's only argument
  std::string subscript = {};              ///< or by a constant
};

/// Null for members that lie together with others.
const clang::FieldDecl *ownField(const Climb &climb, const clang::Expr &part) {
  const auto *member = dyn_cast<clang::MemberExpr>(part.IgnoreParens());
  const auto *field = member ? dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  return field && isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()) &&
                 numberOf(climb.target, *field) < climb.target.shape.fields.size() &&
                 !instrument::bitFieldRun(*field)
             ? field
             : nullptr;
}

Accessed accessedBy(const Climb &climb, const clang::CallExpr &call, unsigned arguments) {
  const clang::ASTContext &ast = climb.program.unit.ast();
  const clang::Expr *part = returnedPart(call);
  if (!part)
    return {};
  // What goes with the call has to be without effects.
  const bool mayGo =
      arguments == 0 || call.getArg(call.getNumArgs() - 1)->isIntegerConstantExpr(ast);
  if (const clang::FieldDecl *field = ownField(climb, *part))
    return {mayGo ? field : nullptr};
  const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(part->IgnoreParens());
  const clang::Expr *array = subscript ? subscript->getBase()->IgnoreParenImpCasts() : nullptr;
  if (!array || !array->getType()->isArrayType())
    return {};
  const clang::Expr *index = subscript->getIdx()->IgnoreParenImpCasts();
  if (const std::optional<llvm::APSInt> value = index->getIntegerConstantExpr(ast))
    return {mayGo && value->isNonNegative() ? ownField(climb, *array) : nullptr, false,
            fmt::format("[{}]", value->getZExtValue())};
  const auto *name = dyn_cast<clang::DeclRefExpr>(index);
  return name && isa<clang::ParmVarDecl>(name->getDecl()) ? Accessed{ownField(climb, *array), true}
                                                          : Accessed{};
}

/// Puts the field in place of the accessor's call, whose argument is kept as a subscript or gone.
void editArguments(TokenEdits &edits, clang::SourceLocation open, clang::SourceLocation close,
                   const Accessed &accessed) {
  const std::optional<FileRange> first = edits.reader().tokenRange(open);
  const std::optional<FileRange> last = edits.reader().tokenRange(close);
  if (!first || !last || first->begin.path != last->begin.path)
    return edits.fail(open);
  if (!accessed.isSubscripted)
    return edits.add({{first->begin, last->end}, accessed.subscript});
  edits.add({*first, "["});
  edits.add({*last, "]"});
}

/// `p[i].at(k)`
bool editMethod(TokenEdits &edits, const Element &element, const clang::MemberExpr &method,
                const clang::CallExpr &call, const Accessed &accessed) {
  const std::optional<clang::SourceLocation> name = edits.reader().spelled(method.getMemberLoc());
  const std::optional<clang::Token> open = name ? edits.reader().tokenAfter(*name) : std::nullopt;
  if (!open || edits.reader().text(*open) != "(")
    return false;
  editField(edits, element, method, accessed.field->getNameAsString(), /*isExploded=*/false);
  editArguments(edits, open->getLocation(), call.getRParenLoc(), accessed);
  return true;
}

/// `p[i][k]`
bool editOperator(TokenEdits &edits, const Element &element, const clang::CXXOperatorCallExpr &call,
                  const Accessed &accessed) {
  const std::string name = accessed.field->getNameAsString();
  const std::optional<clang::SourceLocation> object =
      edits.reader().spelled(call.getArg(0)->getEndLoc());
  const std::optional<clang::Token> bracket =
      object ? edits.reader().tokenAfter(*object) : std::nullopt;
  if (!bracket || edits.reader().text(*bracket) != "[")
    return false;
  switch (element.form) {
  case Element::Form::Subscript:
    for (const clang::ParenExpr *parens : element.parens)
      edits.dropParens(*parens);
    edits.replaceBrackets(*cast<clang::ArraySubscriptExpr>(element.whole),
                          fmt::format(".{}(", name), ")");
    break;
  case Element::Form::Dereference:
    if (element.parens.empty())
      return false;
    edits.dropStar(*cast<clang::UnaryOperator>(element.whole));
    for (std::size_t i = isPostfix(element.view) ? 0 : 1; i < element.parens.size(); ++i)
      edits.dropParens(*element.parens[i]);
    edits.insertAfter(*element.parens.back(), fmt::format(".{}()", name));
    break;
  case Element::Form::Reference:
    edits.insertAfter(element.parens.empty() ? *element.whole : *element.parens.back(),
                      fmt::format(".{}()", name));
    break;
  case Element::Form::Arrow:
  case Element::Form::Choice:
    return false;
  }
  editArguments(edits, bracket->getLocation(), call.getRParenLoc(), accessed);
  return true;
}

/// True in `const Vec &v = p[i].position();`: a copy of the element would not live as long as `v`.
/// What `auto &v` refers to has to stay const.
bool isKept(const Climb &climb, const clang::CallExpr &call, bool isConst) {
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(climb.program.index.parentOf(&call).decl);
  if (!variable || variable->getInit() != &call || !variable->getType()->isLValueReferenceType() ||
      !variable->getType().getNonReferenceType().isConstQualified())
    return false;
  const clang::AutoType *deduced = variable->getType()->getContainedAutoType();
  return isConst || !deduced || !deduced->getDeducedType().isConstQualified();
}

/// One that only reads keeps its constness, and is called on a copy.
bool callsMutator(const clang::CallExpr &call) {
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  return method && method->isInstance() && !method->isConst();
}

} // namespace

std::optional<Step> accessedField(Climb &climb, const Place &here, const Parent &around) {
  const auto *method = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  const auto *operation = dyn_cast_or_null<clang::CXXOperatorCallExpr>(around.stmt);
  const auto *call =
      method ? dyn_cast_or_null<clang::CallExpr>(climb.program.index.parentOf(method).stmt)
             : operation;
  if (!call || (operation && (operation->getOperator() != clang::OO_Subscript ||
                              operation->getArg(0) != here.expression)))
    return std::nullopt;
  if (method && (!isa<clang::CXXMemberCallExpr>(call) || method->hasQualifier() ||
                 method->hasTemplateKeyword()))
    return std::nullopt;
  const unsigned arguments = call->getNumArgs() - (operation ? 1 : 0);
  const bool mayBeCopy = here.element.isConst || !callsMutator(*call);
  if (arguments > 1 || (mayBeCopy && !isKept(climb, *call, here.element.isConst)) ||
      (arguments == 1 && isa<clang::CXXDefaultArgExpr>(call->getArg(call->getNumArgs() - 1))))
    return std::nullopt;
  const Accessed accessed = accessedBy(climb, *call, arguments);
  if (!accessed.field || (mayBeCopy && accessed.field->getType()->isArrayType()))
    return std::nullopt;
  if (isExploded(climb.target, *accessed.field))
    return refused(Code::ArrayMemberUsedWhole,
                   fmt::format("an accessor returns an element of '{}', and its layout stores each "
                               "in a plane of its own",
                               accessed.field->getNameAsString()),
                   call->getExprLoc(),
                   "name the member, or choose a layout that keeps the array whole");
  TokenEdits edits = climb.edits();
  if (method ? !editMethod(edits, here.element, *method, *call, accessed)
             : !editOperator(edits, here.element, *operation, accessed))
    return std::nullopt;
  if (here.element.isConst) // the view returns a reference
    climb.program.parts[&climb.target].addressed.insert(instrument::nameOfField(*accessed.field));
  return climb.climbTo(fieldAt(call, /*isValue=*/false), std::move(edits));
}

namespace {

/// What directly uses a pointer, behind conversions that need no text.
const clang::Stmt *userOf(const ParentIndex &index, const clang::Expr &pointer) {
  const clang::Stmt *user = index.parentOf(&pointer).stmt;
  while (isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(user))
    user = index.parentOf(user).stmt;
  return user;
}

/// Whether a pointer to const elements may become one to others that does not say so: no overload
/// and no deduced type tells them apart.
bool mayLoseConst(const Climb &climb, const clang::CallExpr &call) {
  const ParentIndex &index = climb.program.index;
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(index.parentOf(&call).decl);
  if (variable && variable->getInit()->IgnoreParenImpCasts() == &call)
    return !variable->getType()->getContainedAutoType();
  const auto *user = dyn_cast_or_null<clang::Expr>(userOf(index, call));
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(user);
  return (isa_and_nonnull<clang::ArraySubscriptExpr>(user) ||
          (member && isa<clang::FieldDecl>(member->getMemberDecl()))) &&
         user->getType()->isScalarType();
}

} // namespace

/// `p[i].data()` of a method that returns a member's address becomes `p.v(i)` of an array, or
/// `&p.q(i)`, whose uses are followed as those of any pointer to a field.
std::optional<Step> fieldPointedTo(Climb &climb, const Place &here, const Parent &around) {
  const ParentIndex &index = climb.program.index;
  const auto *method = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  const auto *call =
      method ? dyn_cast_or_null<clang::CXXMemberCallExpr>(index.parentOf(method).stmt) : nullptr;
  const clang::Expr *part =
      call && call->getNumArgs() == 0 && !method->hasQualifier() ? pointedPart(*call) : nullptr;
  const clang::FieldDecl *field = part ? ownField(climb, *part) : nullptr;
  if (!field || isExploded(climb.target, *field))
    return std::nullopt;
  const bool losesConst =
      !here.element.isConst && call->getType()->getPointeeType().isConstQualified();
  if (losesConst && !mayLoseConst(climb, *call))
    return std::nullopt;
  TokenEdits edits = climb.edits();
  if (!editMethod(edits, here.element, *method, *call, {field}))
    return std::nullopt;
  const clang::ConstantArrayType *array =
      climb.program.unit.ast().getAsConstantArrayType(field->getType());
  if (!array) {
    const clang::Stmt *user = userOf(index, *call);
    if (const auto *member = dyn_cast_or_null<clang::MemberExpr>(user)) {
      edits.replace(operatorOf(edits.reader(), *member), "->", ".");
    } else {
      const bool isSubscripted = isa_and_nonnull<clang::ArraySubscriptExpr>(user);
      edits.insertBefore(*call, isSubscripted ? "(&" : "&");
      if (isSubscripted)
        edits.insertAfter(*call, ")");
    }
  }
  if (here.element.isConst) // the view returns a reference
    climb.program.parts[&climb.target].addressed.insert(instrument::nameOfField(*field));
  return climb.climbTo({.what = Reached::FieldPointer,
                        .expression = call,
                        .start = call,
                        .reach = array ? array->getZExtSize() : 1},
                       std::move(edits));
}

} // namespace relayout::rewriter
