// SPDX-License-Identifier: Apache-2.0
// Looks for uses of pointers without a type that are more than to hand them on.
#include "legality/untyped_bytes.h"

#include "relayout/base/cuda_calls.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

class UntypedUses : public clang::DynamicRecursiveASTVisitor {
public:
  explicit UntypedUses(instrument::ParsedUnit &unit) : unit_(unit) {}

  bool VisitCastExpr(clang::CastExpr *conversion) override {
    if (isVariable(*conversion->getSubExpr()) && isUserPlace(*conversion))
      found |= conversion->getCastKind() == clang::CK_PointerToIntegral ||
               isBytes(conversion->getType());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (callee && isUserPlace(*call) && !isOfUser(*callee) && !handsOn(*callee))
      found |= std::ranges::any_of(
          call->arguments(), [](const clang::Expr *argument) { return isVariable(*argument); });
    return true;
  }

  bool found = false;

private:
  /// What a function returns is no variable, and as large as it was asked for.
  static bool isVariable(const clang::Expr &expression) {
    const clang::Expr &bare = *expression.IgnoreParenImpCasts();
    return bare.getType()->isVoidPointerType() && bare.isLValue();
  }

  static bool isBytes(clang::QualType pointer) {
    const clang::QualType type = pointer->getPointeeType();
    return !type.isNull() && (type->isCharType() || type->isStdByteType());
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

bool readsUntypedBytes(instrument::ParsedUnit &unit) {
  UntypedUses uses(unit);
  uses.TraverseDecl(unit.ast().getTranslationUnitDecl());
  return uses.found;
}

} // namespace relayout::rewriter
