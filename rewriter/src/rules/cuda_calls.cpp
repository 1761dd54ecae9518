// SPDX-License-Identifier: Apache-2.0
// CUDA runtime calls on rewritten arrays: each becomes the generated header's function of the same
// meaning.
#include "rules/uses.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

bool isVoidPointerCast(const clang::Expr *expression) {
  const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(expression);
  if (!conversion || !conversion->getType()->isPointerType())
    return false;
  const clang::QualType pointee = conversion->getType()->getPointeeType();
  return pointee->isVoidType() || pointee->isVoidPointerType();
}

/// The expression below casts to `void *` and `void **`.
const clang::Expr *behindVoidCasts(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  while (isVoidPointerCast(expression))
    expression = cast<clang::ExplicitCastExpr>(expression)->getSubExpr()->IgnoreParenImpCasts();
  return expression;
}

/// Whether a number of bytes is one of whole records, as far as the source says so by itself.
bool countsWholeRecords(const Program &program, const clang::Expr *bytes, const Target &target) {
  if (!bytes->getType()->isIntegerType())
    return false;
  bytes = bytes->IgnoreParenCasts();
  const auto whole = [&](const clang::Expr *part) {
    return countsWholeRecords(program, part, target);
  };
  if (const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(bytes))
    return size->getKind() == clang::UETT_SizeOf &&
           size->getTypeOfArgument()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl() ==
               target.record;
  if (const auto *operation = dyn_cast<clang::BinaryOperator>(bytes)) {
    if (operation->getOpcode() == clang::BO_Mul)
      return whole(operation->getLHS()) || whole(operation->getRHS());
    return operation->isAdditiveOp() && whole(operation->getLHS()) && whole(operation->getRHS());
  }
  const auto *name = dyn_cast<clang::DeclRefExpr>(bytes);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->getInit() &&
         std::ranges::all_of(program.index.referencesTo(variable),
                             [&program](const clang::DeclRefExpr *use) {
                               const auto *read = dyn_cast_or_null<clang::ImplicitCastExpr>(
                                   program.index.parentOf(use).stmt);
                               return read && read->getCastKind() == clang::CK_LValueToRValue;
                             }) &&
         whole(variable->getInit());
}

} // namespace

/// A pointer on its way to `void *`: only as an argument of a runtime call.
void UseRewriter::throughVoid(Use &use, const clang::Expr *conversion) {
  const clang::Expr *current = conversion;
  while (const clang::Stmt *parent = program_.index.parentOf(current).stmt) {
    if (const auto *call = dyn_cast<clang::CallExpr>(parent)) {
      if (const std::string name = runtimeName(program_, *call); name.starts_with("cuda"))
        return runtimeCall(use, current, *call, name);
      break;
    }
    const auto *cast = dyn_cast<clang::CastExpr>(parent);
    if (!isa<clang::ParenExpr>(parent) && !(cast && cast->getType()->isVoidPointerType()))
      break;
    current = clang::cast<clang::Expr>(parent);
  }
  refuse(use, Code::PointerEscapes, "the pointer is converted to 'void *'",
         conversion->getExprLoc(), "only CUDA's memory functions may take it untyped");
}

void UseRewriter::runtimeCall(Use &use, const clang::Expr *argument, const clang::CallExpr &call,
                              const std::string &name) {
  unsigned position = 0;
  while (position < call.getNumArgs() && call.getArg(position) != argument)
    ++position;
  const GeneratedNames &names = use.target->names;
  const bool onStream = name.ends_with("Async");
  const std::string plain = onStream ? name.substr(0, name.size() - 5) : name;
  std::string replacement;
  const Target *owner = use.target; // of the function called instead
  if (plain == "cudaFree" && position == 0)
    replacement = names.release;
  else if (plain == "cudaMemset" && position == 0)
    replacement = names.set;
  else if (const Target *other = plain == "cudaMemcpy" && position < 2
                                     ? otherLayout(use, call, 1 - position)
                                     : nullptr) {
    owner = position == 0 ? use.target : other;
    program_.parts[owner].conversions = true;
    replacement = owner->names.convert;
  } else if (plain == "cudaMemcpy" && position < 2 && checkOtherSide(use, call, 1 - position))
    replacement = names.copy;
  if (use.refused)
    return;
  if (!replacement.empty()) {
    if (onStream)
      program_.parts[owner].onStreams = true;
    if (plain != "cudaFree" && !countsWholeRecords(program_, call.getArg(2), *owner))
      program_.parts[owner].insideElements = true;
    if (editCallee(use, call, replacement + (onStream ? "Async" : "")))
      dropVoidCasts(use, argument);
    return;
  }
  refuse(use, Code::UnsupportedCudaCall, fmt::format("'{}' is not supported on them", name),
         call.getExprLoc(),
         "use cudaMalloc, cudaMemcpy, cudaMemset and cudaFree, or these on streams");
}

bool UseRewriter::editAllocation(Use &use, const clang::Expr *address) {
  const clang::Expr *current = address;
  while (const clang::Stmt *parent = program_.index.parentOf(current).stmt) {
    if (const auto *call = dyn_cast<clang::CallExpr>(parent)) {
      const std::string name = runtimeName(program_, *call);
      if (!name.starts_with("cuda"))
        return false;
      const bool onStream = name == "cudaMallocAsync";
      if ((name != "cudaMalloc" && !onStream) || call->getArg(0) != current) {
        refuse(use, Code::UnsupportedCudaCall, fmt::format("'{}' is not supported on them", name),
               call->getExprLoc(), "allocate with cudaMalloc or cudaMallocAsync");
        return true;
      }
      if (address->getType()->getPointeeType()->getPointeeType().isConstQualified()) {
        refuse(use, Code::UnsupportedCudaCall, "a pointer to const records is allocated",
               call->getExprLoc(), "allocate through a pointer to records that are not const");
        return true;
      }
      if (onStream)
        program_.parts[use.target].onStreams = true;
      if (editCallee(use, *call, use.target->names.allocate + (onStream ? "Async" : "")))
        dropVoidCasts(use, current);
      return true;
    }
    if (!isa<clang::ParenExpr, clang::ImplicitCastExpr>(parent) &&
        !isVoidPointerCast(dyn_cast<clang::Expr>(parent) ? cast<clang::Expr>(parent) : address))
      return false;
    current = cast<clang::Expr>(parent);
  }
  return false;
}

bool UseRewriter::editCallee(Use &use, const clang::CallExpr &call, const std::string &name) {
  const auto *callee = dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  if (!callee || callee->hasQualifier() || callee->hasExplicitTemplateArgs()) {
    refuse(use, Code::UnsupportedCudaCall, "the runtime function is not called by its plain name",
           call.getExprLoc(), "call it without '::' and template arguments");
    return false;
  }
  return replaceToken(use, callee->getLocation(), callee->getNameInfo().getAsString(), name);
}

bool UseRewriter::dropVoidCasts(Use &use, const clang::Expr *argument) {
  const clang::Expr *current = argument->IgnoreParenImpCasts();
  while (isVoidPointerCast(current)) {
    clang::SourceRange opening;
    if (const auto *cStyle = dyn_cast<clang::CStyleCastExpr>(current)) {
      opening = {cStyle->getLParenLoc(), cStyle->getRParenLoc()};
    } else if (const auto *named = dyn_cast<clang::CXXNamedCastExpr>(current)) {
      const std::optional<clang::SourceLocation> close =
          reader_.spelled(named->getAngleBrackets().getEnd());
      const std::optional<clang::Token> paren = close ? reader_.tokenAfter(*close) : std::nullopt;
      if (!paren || reader_.text(*paren) != "(" ||
          !replaceToken(use, named->getRParenLoc(), ")", "")) {
        if (!use.refused)
          refuseMacro(use, current->getExprLoc());
        return false;
      }
      opening = {named->getOperatorLoc(), paren->getLocation()};
    } else {
      refuse(use, Code::PointerEscapes, "the pointer is cast in an unusual way",
             current->getExprLoc(), "leave the cast out");
      return false;
    }
    const std::optional<clang::SourceLocation> first = reader_.spelled(opening.getBegin());
    const std::optional<clang::SourceLocation> last = reader_.spelled(opening.getEnd());
    std::optional<FileRange> range = first && last ? reader_.range({*first, *last}) : std::nullopt;
    if (!range) {
      refuseMacro(use, current->getExprLoc());
      return false;
    }
    const std::string &file = reader_.fileText(range->begin.path);
    while (range->end < file.size() && file[range->end] == ' ')
      ++range->end;
    use.edits.push_back({*range, ""});
    current = cast<clang::ExplicitCastExpr>(current)->getSubExpr()->IgnoreParenImpCasts();
  }
  return true;
}

/// The layout of the other pointer of a copy, where it is a view of this record's in another one.
const Target *UseRewriter::otherLayout(const Use &use, const clang::CallExpr &call,
                                       unsigned other) const {
  const clang::Expr *side = behindVoidCasts(call.getArg(other));
  if (!side->getType()->isPointerType() || isView(program_, side, *use.target))
    return nullptr;
  for (const auto &[group, target] : program_.targets)
    if (target->record == use.target->record && isView(program_, side, *target))
      return target;
  return nullptr;
}

/// The other pointer of a copy: a view of the same record, or records as they are.
bool UseRewriter::checkOtherSide(Use &use, const clang::CallExpr &call, unsigned other) {
  const clang::Expr *side = behindVoidCasts(call.getArg(other));
  if (isView(program_, side, *use.target) && !side->getType()->isIntegralType(program_.unit.ast()))
    return true; // a use of its own
  clang::QualType pointee;
  if (side->getType()->isPointerType())
    pointee = side->getType()->getPointeeType();
  else if (side->getType()->isArrayType())
    pointee = side->getType()->getAsArrayTypeUnsafe()->getElementType();
  const bool isOfRows = !pointee.isNull() && pointee->isArrayType();
  if (isOfRows)
    pointee = program_.unit.ast().getBaseElementType(pointee);
  const clang::CXXRecordDecl *record = pointee.isNull() ? nullptr : pointee->getAsCXXRecordDecl();
  if (!record || record->getCanonicalDecl() != use.target->record->getCanonicalDecl() ||
      pointee.isVolatileQualified()) {
    refuse(use, Code::UnsupportedCudaCall,
           fmt::format("the other side of the copy is no pointer to '{}'", use.target->shape.name),
           side->getExprLoc(), "copy whole records, through a pointer to them");
    return false;
  }
  if (isOfRows) { // not the pointer that the header's function takes
    const bool wrap = isa<clang::BinaryOperator, clang::ConditionalOperator>(side);
    insertBefore(use, *side,
                 fmt::format("({}{} *){}", pointee.isConstQualified() ? "const " : "",
                             spelledFor(*use.target, use.target->shape.name, use.function),
                             wrap ? "(" : ""));
    if (wrap)
      insertAfter(use, *side, ")");
  }
  return !use.refused && dropVoidCasts(use, call.getArg(other));
}

} // namespace relayout::rewriter
