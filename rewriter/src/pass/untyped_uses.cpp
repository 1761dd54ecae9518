// SPDX-License-Identifier: Apache-2.0
// Looks for uses of pointers without a type that are more than to hand them on.
#include "pass/untyped_uses.h"

#include "relayout/base/cuda_calls.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Empty where the class is not defined.
std::set<MemberPlace> placesIn(const clang::CXXRecordDecl &record) {
  std::set<MemberPlace> places;
  const clang::CXXRecordDecl *definition = record.getDefinition();
  if (!definition || definition->isDependentType())
    return places;
  for (const clang::FieldDecl *field : definition->fields()) {
    const clang::ASTContext &context = field->getASTContext();
    const clang::QualType type = field->getType();
    const char kind = type->isAnyPointerType()              ? 'p'
                      : type->isRealFloatingType()          ? 'f'
                      : type->isIntegralOrEnumerationType() ? 'i'
                                                            : 'o';
    places.insert({context.getFieldOffset(field),
                   field->isBitField() ? field->getBitWidthValue() : context.getTypeSize(type),
                   kind});
  }
  return places;
}

class UntypedVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  explicit UntypedVisitor(instrument::ParsedUnit &unit) : unit_(unit) {}

  bool VisitCastExpr(clang::CastExpr *conversion) override {
    if (!isUserPlace(*conversion))
      return true;
    if (conversion->getType()->isVoidPointerType()) {
      if (const auto *record = recordBehind(conversion->getSubExpr()->getType()))
        uses.made.insert(record->getQualifiedNameAsString());
    } else if (isUntyped(*conversion->getSubExpr())) {
      uses.readsBytes |= conversion->getCastKind() == clang::CK_PointerToIntegral ||
                         isNumber(conversion->getType());
      if (const auto *record = recordBehind(conversion->getType()))
        uses.named.try_emplace(record->getQualifiedNameAsString(), placesIn(*record));
    }
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (callee && isUserPlace(*call) && !isOfUser(*callee) && !handsOn(*callee))
      uses.readsBytes |= std::ranges::any_of(
          call->arguments(), [&](const clang::Expr *argument) { return isUntyped(*argument); });
    return true;
  }

  UntypedUses uses;

private:
  static const clang::CXXRecordDecl *recordBehind(clang::QualType pointer) {
    return pointer->isPointerType() ? pointer->getPointeeType()->getAsCXXRecordDecl() : nullptr;
  }

  /// A variable, or what a function of the program returns; memory of the library's allocators is
  /// as large as it was asked for.
  bool isUntyped(const clang::Expr &expression) const {
    const clang::Expr &bare = *expression.IgnoreParenImpCasts();
    if (!bare.getType()->isVoidPointerType())
      return false;
    const auto *call = dyn_cast<clang::CallExpr>(&bare);
    return call ? !call->getDirectCallee() || isOfUser(*call->getDirectCallee()) : bare.isLValue();
  }

  /// A byte, or a number, of which the memory may consist.
  static bool isNumber(clang::QualType pointer) {
    const clang::QualType type = pointer->getPointeeType();
    return !type.isNull() &&
           (type->isArithmeticType() || type->isEnumeralType() || type->isVectorType());
  }

  /// Containers, what frees memory, and what prints an address.
  static bool handsOn(const clang::FunctionDecl &callee) {
    static constexpr std::array<std::string_view, 4> kKnown{"free", "printf", "fprintf",
                                                            "snprintf"};
    if (isa<clang::CXXMethodDecl>(callee) || isa<clang::CXXConstructorDecl>(callee))
      return callee.isInStdNamespace();
    if (!callee.getDeclName().isIdentifier())
      return callee.isInStdNamespace(); // operators
    const std::string name = callee.getName().str();
    const CudaCall *known = cudaCallNamed(name);
    return (known && known->kind == CudaCallKind::Free) ||
           std::ranges::find(kKnown, name) != kKnown.end();
  }

  bool isUserPlace(const clang::Expr &expression) const {
    const clang::SourceManager &sources = unit_.sources();
    const clang::SourceLocation where = expression.getExprLoc();
    return where.isValid() && unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(where)));
  }

  bool isOfUser(const clang::FunctionDecl &callee) const {
    const clang::SourceManager &sources = unit_.sources();
    return callee.getLocation().isValid() &&
           unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(callee.getLocation())));
  }

  instrument::ParsedUnit &unit_;
};

} // namespace

void UntypedUses::add(const UntypedUses &other) {
  readsBytes |= other.readsBytes;
  made.insert(other.made.begin(), other.made.end());
  named.insert(other.named.begin(), other.named.end());
}

bool UntypedUses::mayLeadTo(const clang::CXXRecordDecl &record) const {
  const auto own = placesIn(record);
  return !readsBytes && std::ranges::none_of(named, [&](const auto &other) {
    return !made.contains(other.first) && !other.second.empty() &&
           std::ranges::includes(own, other.second);
  });
}

UntypedUses untypedUses(instrument::ParsedUnit &unit) {
  UntypedVisitor visitor(unit);
  visitor.TraverseDecl(unit.ast().getTranslationUnitDecl());
  return std::move(visitor.uses);
}

} // namespace relayout::rewriter
