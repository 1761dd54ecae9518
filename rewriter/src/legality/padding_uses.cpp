// SPDX-License-Identifier: Apache-2.0
// Finds the calls that are given such records as bytes.
#include "legality/padding_uses.h"

#include "relayout/instrument/clang/untyped_functions.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace relayout::rewriter {
namespace {

/// Of a library: `std::ostream::write` among them.
bool isWritten(std::string_view function) {
  constexpr std::string_view kWriters[] = {"fwrite", "write", "pwrite", "send", "sendto"};
  return std::ranges::find(kWriters, function) != std::end(kWriters);
}

class PaddingUses : public clang::DynamicRecursiveASTVisitor {
public:
  explicit PaddingUses(Program &program) : program_(program) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getDeclName().isIdentifier())
      return true;
    for (const clang::Expr *argument : call->arguments())
      if (const Target *target = paddedBehind(*argument);
          target && looksAtBytes(*callee, argument->getType()))
        warn(*call, *callee, *target);
    return true;
  }

private:
  /// The record whose address is given as that of constant bytes; null: none with padding.
  const Target *paddedBehind(const clang::Expr &argument) const {
    const clang::QualType bytes = argument.getType();
    if (!bytes->isPointerType() || !bytes->getPointeeType().isConstQualified() ||
        !(bytes->isVoidPointerType() || bytes->getPointeeType()->isCharType() ||
          bytes->getPointeeType()->isStdByteType()))
      return nullptr;
    const clang::QualType type = argument.IgnoreParenCasts()->getType();
    if (!type->isPointerType() && !type->isArrayType())
      return nullptr;
    const clang::CXXRecordDecl *record =
        clang::QualType(type->getPointeeOrArrayElementType(), 0)->getAsCXXRecordDecl();
    const Target *target = record ? program_.targetOf(record) : nullptr;
    return target && target->shape.hasPadding ? target : nullptr;
  }

  [[nodiscard]] bool looksAtBytes(const clang::FunctionDecl &callee, clang::QualType given) const {
    const std::string_view name = callee.getName();
    if (!isUsers(program_, callee))
      return name == "memcmp" || isWritten(name);
    return !given->isVoidPointerType() || !instrument::readUntyped(callee).obstacle.empty();
  }

  void warn(const clang::CallExpr &call, const clang::FunctionDecl &callee, const Target &target) {
    if (!known_.insert(call.getExprLoc()).second)
      return;
    const bool compares = callee.getName() == "memcmp";
    program_.findings.warn(
        {Code::PaddingUsed,
         fmt::format("'{}' {} the padding of '{}', which arrays in device memory do not keep",
                     callee.getName().str(), compares ? "compares" : "is given", target.shape.name),
         call.getExprLoc(), compares ? "compare the members" : "set the padding to zero before"});
  }

  Program &program_;
  std::set<clang::SourceLocation> known_; ///< instances of templates share their text
};

} // namespace

void warnOfUsedPadding(Program &program) {
  PaddingUses(program).TraverseDecl(program.unit.ast().getTranslationUnitDecl());
}

} // namespace relayout::rewriter
