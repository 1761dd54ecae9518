// SPDX-License-Identifier: Apache-2.0
// Looks at one expression at a time.
#include "model/vector_expressions.h"

#include "model/thrust_vectors.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <set>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

llvm::StringRef methodName(const clang::CXXMemberCallExpr &call) {
  const clang::CXXMethodDecl *method = call.getMethodDecl();
  return method && method->getDeclName().isIdentifier() ? method->getName() : llvm::StringRef();
}

bool isEither(llvm::StringRef name, llvm::StringRef one, llvm::StringRef other) {
  return name == one || name == other;
}

/// A sum of an iterator or pointer and a number: its first operand; null for what is none.
const clang::Expr *augend(const clang::Expr &sum) {
  if (const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(&sum))
    return call->getOperator() == clang::OO_Plus && call->getNumArgs() == 2 &&
                   call->getArg(1)->getType()->isIntegralOrEnumerationType()
               ? call->getArg(0)
               : nullptr;
  return nullptr;
}

/// What an expression names, and does.
struct Evaluation {
  std::set<const clang::ValueDecl *> read, changed;
  bool namesOthers = false; ///< than local variables: members, globals
  bool calls = false;       ///< functions that may change something

  void add(const clang::Stmt &statement, bool isRead = false) {
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(&statement)) {
      (isRead ? read : changed).insert(name->getDecl());
      const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
      namesOthers |=
          variable && (!variable->isLocalVarDeclOrParm() || variable->getType()->isReferenceType());
    }
    namesOthers |= isa<clang::MemberExpr>(statement);
    if (const auto *call = dyn_cast<clang::CallExpr>(&statement))
      calls |= !call->getDirectCallee() || !(isOfThrust(*call->getDirectCallee()) ||
                                             call->getDirectCallee()->isInStdNamespace());
    if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(&statement))
      calls |= construction->getConstructor()->isUserProvided();
    calls |= isa<clang::LambdaExpr, clang::CXXNewExpr>(statement);
    const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(&statement);
    const bool isLoad = conversion && conversion->getCastKind() == clang::CK_LValueToRValue;
    // Of constants, nothing but their value can be used.
    for (const clang::Stmt *child : statement.children())
      if (child)
        add(*child, isLoad || isConstant(*child) || (isRead && isa<clang::ParenExpr>(statement)));
  }

private:
  static bool isConstant(const clang::Stmt &statement) {
    const auto *expression = dyn_cast<clang::Expr>(&statement);
    return expression && expression->getType().isConstQualified();
  }
};

} // namespace

bool mayInterfere(const clang::Expr &index, const clang::Expr &value) {
  Evaluation of, is;
  of.add(index);
  is.add(value);
  const auto changesReadOf = [](const Evaluation &one, const Evaluation &other) {
    return std::ranges::any_of(one.changed, [&](const clang::ValueDecl *changed) {
      return isa<clang::VarDecl>(changed) &&
             (other.read.contains(changed) || other.changed.contains(changed));
    });
  };
  return (of.calls && is.calls) || (of.calls && is.namesOthers) || (is.calls && of.namesOthers) ||
         changesReadOf(of, is) || changesReadOf(is, of);
}

bool addsNothing(const clang::Stmt &statement) {
  return isa<clang::ParenExpr, clang::ImplicitCastExpr, clang::MaterializeTemporaryExpr,
             clang::CXXBindTemporaryExpr, clang::FullExpr>(statement);
}

const clang::Expr *withoutNothing(const clang::Expr &expression) {
  const clang::Expr *inner = expression.IgnoreParens()->IgnoreImplicit();
  while (true) {
    const clang::Expr *next = inner;
    if (const auto *copy = dyn_cast<clang::CXXConstructExpr>(inner);
        copy && copy->getNumArgs() == 1 && copy->getConstructor()->isCopyOrMoveConstructor())
      next = copy->getArg(0);
    // An iterator becomes a const one, a pointer one to const elements.
    else if (copy && copy->getNumArgs() >= 1 && !isa<clang::CXXTemporaryObjectExpr>(copy) &&
             isOfThrust(*copy->getConstructor()) && copy->getArg(0)->getType()->isRecordType() &&
             !elementOfDeviceVector(copy->getType()) && !elementOfHostContainer(copy->getType()))
      next = copy->getArg(0);
    next = next->IgnoreParens()->IgnoreImplicit();
    if (next == inner)
      return inner;
    inner = next;
  }
}

bool isPlain(const clang::Expr &expression) {
  const clang::Expr *inner = expression.IgnoreParenImpCasts();
  if (isa<clang::DeclRefExpr, clang::CXXThisExpr, clang::IntegerLiteral>(inner))
    return true;
  if (const auto *member = dyn_cast<clang::MemberExpr>(inner))
    return isPlain(*member->getBase());
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(inner))
    return isPlain(*subscript->getBase()) && isPlain(*subscript->getIdx());
  if (const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(inner)) // of a std::vector
    return call->getOperator() == clang::OO_Subscript && call->getDirectCallee() &&
           call->getDirectCallee()->isInStdNamespace() && isPlain(*call->getArg(0)) &&
           isPlain(*call->getArg(1));
  const auto *unary = dyn_cast<clang::UnaryOperator>(inner);
  return unary && unary->getOpcode() == clang::UO_Deref && isPlain(*unary->getSubExpr());
}

clang::QualType objectType(const clang::CXXMemberCallExpr &call) {
  const clang::QualType type = call.getImplicitObjectArgument()->IgnoreParenImpCasts()->getType();
  return type->isPointerType() ? type->getPointeeType() : type;
}

clang::QualType operandType(const clang::Expr &operand) {
  return operand.IgnoreParens()->IgnoreImplicit()->getType();
}

bool isValueOf(const clang::Expr &expression, const clang::CXXRecordDecl *record) {
  const clang::CXXRecordDecl *type =
      expression.getType().getNonReferenceType()->getAsCXXRecordDecl();
  return type && type->getDefinition() == record;
}

const clang::CXXMemberCallExpr *dataIn(const clang::Expr &pointer) {
  const clang::Expr *inner = withoutNothing(pointer);
  if (const clang::Expr *first = augend(*inner))
    inner = withoutNothing(*first);
  const auto *call = dyn_cast<clang::CXXMemberCallExpr>(inner);
  return call && methodName(*call) == "data" && elementOfDeviceVector(objectType(*call)) ? call
                                                                                         : nullptr;
}

AddressedElement addressedElement(const clang::Expr &pointer) {
  const auto *address = dyn_cast<clang::CXXOperatorCallExpr>(withoutNothing(pointer));
  if (!address || address->getOperator() != clang::OO_Amp)
    return {};
  const auto *access = dyn_cast<clang::CXXOperatorCallExpr>(withoutNothing(*address->getArg(0)));
  if (!access)
    return {};
  if (access->getOperator() == clang::OO_Subscript &&
      elementOfDeviceVector(operandType(*access->getArg(0))))
    return {access->getArg(0)->IgnoreImpCasts(), access, access->getArg(1)};
  if (access->getOperator() != clang::OO_Star)
    return {};
  const auto *begin = dyn_cast<clang::CXXMemberCallExpr>(withoutNothing(*access->getArg(0)));
  const auto *member =
      begin ? dyn_cast<clang::MemberExpr>(begin->getCallee()->IgnoreParens()) : nullptr;
  if (!member || member->isArrow() || !isEither(methodName(*begin), "begin", "cbegin") ||
      !elementOfDeviceVector(objectType(*begin)))
    return {};
  return {member->getBase()->IgnoreImpCasts(), begin, nullptr};
}

const clang::Expr *vectorBefore(const clang::Expr &iterator) {
  const auto *call = dyn_cast<clang::CXXMemberCallExpr>(withoutNothing(iterator));
  return call && elementOfDeviceVector(objectType(*call))
             ? call->getImplicitObjectArgument()->IgnoreImpCasts()
             : nullptr;
}

const clang::CXXRecordDecl *elementBefore(const clang::Expr &iterator) {
  const auto *call = dyn_cast<clang::CXXMemberCallExpr>(withoutNothing(iterator));
  return call ? elementOfDeviceVector(objectType(*call)) : nullptr;
}

std::string VectorText::of(const clang::Expr &expression) const {
  return clang::Lexer::getSourceText(
             clang::CharSourceRange::getTokenRange(expression.getSourceRange()), unit_.sources(),
             unit_.ast().getLangOpts())
      .str();
}

clang::SourceLocation VectorText::behind(const clang::Expr &expression) const {
  clang::SourceLocation last = expression.getEndLoc();
  while (last.isMacroID() && unit_.sources().isMacroArgExpansion(last))
    last = unit_.sources().getImmediateSpellingLoc(last);
  return clang::Lexer::getLocForEndOfToken(last, 0, unit_.sources(), unit_.ast().getLangOpts());
}

std::optional<clang::CharSourceRange> VectorText::macroUse(const clang::Stmt &expression) const {
  const clang::SourceManager &sources = unit_.sources();
  const auto isFirst = [&](clang::SourceLocation token) {
    return sources.isAtStartOfImmediateMacroExpansion(token);
  };
  const auto isLast = [&](clang::SourceLocation token) {
    const unsigned length = clang::Lexer::MeasureTokenLength(sources.getSpellingLoc(token), sources,
                                                             unit_.ast().getLangOpts());
    return sources.isAtEndOfImmediateMacroExpansion(
        token.getLocWithOffset(static_cast<int>(length)));
  };
  clang::SourceLocation begin = expression.getBeginLoc(), end = expression.getEndLoc();
  bool isUse = false;
  while (begin.isMacroID() && end.isMacroID()) {
    const bool beginsInArgument = sources.isMacroArgExpansion(begin);
    const bool endsInArgument = sources.isMacroArgExpansion(end);
    if (beginsInArgument && endsInArgument) {
      begin = sources.getImmediateSpellingLoc(begin);
      end = sources.getImmediateSpellingLoc(end);
      continue;
    }
    const clang::CharSourceRange first = sources.getImmediateExpansionRange(begin);
    const clang::CharSourceRange last = sources.getImmediateExpansionRange(end);
    isUse = !beginsInArgument && !endsInArgument;
    if ((!endsInArgument || isLast(end)) && (!beginsInArgument || isFirst(begin)) &&
        (!isUse || (isFirst(begin) && isLast(end) && first.getAsRange() == last.getAsRange()))) {
      begin = endsInArgument ? begin : first.getBegin();
      end = beginsInArgument ? end : last.getEnd();
    } else {
      return std::nullopt;
    }
  }
  return isUse && begin.isFileID() && end.isFileID()
             ? std::optional(clang::CharSourceRange::getTokenRange(begin, end))
             : std::nullopt;
}

std::string VectorText::asValue(const clang::Expr &vector) const {
  return (vector.getType()->isPointerType() ? "*" : "") + of(vector);
}

std::optional<std::string> VectorText::endOfVector(const clang::Expr &iterator, bool isEnd) const {
  const auto *call = dyn_cast<clang::CXXMemberCallExpr>(withoutNothing(iterator));
  const auto *member =
      call ? dyn_cast<clang::MemberExpr>(call->getCallee()->IgnoreParens()) : nullptr;
  if (!member || !elementOfDeviceVector(objectType(*call)) || !isPlain(*member->getBase()) ||
      !(isEnd ? isEither(methodName(*call), "end", "cend")
              : isEither(methodName(*call), "begin", "cbegin")))
    return std::nullopt;
  return of(*member->getBase()->IgnoreImpCasts()) + (member->isArrow() ? "->" : ".");
}

std::optional<std::string> VectorText::beginOfVector(const clang::Expr &iterator) const {
  return endOfVector(iterator, false);
}

std::optional<std::string> VectorText::wholeVector(const clang::Expr &begin,
                                                   const clang::Expr &end) const {
  std::optional<std::string> first = endOfVector(begin, false);
  return first && first == endOfVector(end, true) ? first : std::nullopt;
}

std::optional<std::vector<VectorEdit>>
VectorText::hostPointer(const clang::Expr &iterator, const clang::CXXRecordDecl *element) const {
  const clang::Expr *inner = withoutNothing(iterator);
  if (inner->getType()->isPointerType() || inner->getType()->isArrayType()) {
    const clang::CXXRecordDecl *pointee =
        inner->getType()->getPointeeOrArrayElementType()->getAsCXXRecordDecl();
    return pointee && pointee->getDefinition() == element ? std::optional(std::vector<VectorEdit>())
                                                          : std::nullopt;
  }
  if (const clang::Expr *first = augend(*inner))
    return hostPointer(*first, element);
  const auto *call = dyn_cast<clang::CXXMemberCallExpr>(inner);
  const auto *member =
      call ? dyn_cast<clang::MemberExpr>(call->getCallee()->IgnoreParens()) : nullptr;
  if (!member || elementOfHostContainer(objectType(*call)) != element)
    return std::nullopt;
  const clang::CharSourceRange name =
      clang::CharSourceRange::getTokenRange(member->getMemberLoc(), member->getMemberLoc());
  if (isEither(methodName(*call), "begin", "cbegin"))
    return std::vector<VectorEdit>{{name, "data"}};
  if (!isEither(methodName(*call), "end", "cend") || !isPlain(*member->getBase()))
    return std::nullopt;
  const clang::SourceLocation end = behind(*call);
  return std::vector<VectorEdit>{{name, "data"},
                                 {clang::CharSourceRange::getCharRange(end, end),
                                  " + " + of(*member->getBase()->IgnoreImpCasts()) +
                                      (member->isArrow() ? "->" : ".") + "size()"}};
}

} // namespace relayout::instrument
