// SPDX-License-Identifier: Apache-2.0
// Counts variables in scope.
#include "model/live_words.h"

#include "model/straight_line.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <map>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint32_t kMostBytes = 64; ///< larger objects lie in memory

class ScopeCounter {
public:
  explicit ScopeCounter(clang::ASTContext &context) : context_(context) {}

  /// The most of what is in scope at once beyond what is where it is called.
  std::uint32_t function(const clang::FunctionDecl &function) {
    const auto [known, isNew] = functions_.try_emplace(&function, 0); // where it calls itself
    if (isNew && function.hasBody()) {
      const std::uint32_t most = statement(function.getBody());
      functions_[&function] = most;
      return most;
    }
    return known->second;
  }

  std::uint32_t ofType(clang::QualType type) const {
    if (type->isDependentType() || type->isIncompleteType() || type->isReferenceType())
      return 0;
    const auto bytes = static_cast<std::uint32_t>(
        context_.getTypeSizeInChars(type.getCanonicalType()).getQuantity());
    return type->isArrayType() || bytes > kMostBytes ? 0 : (bytes + kWordBytes - 1) / kWordBytes;
  }

private:
  std::uint32_t statement(const clang::Stmt *node) {
    std::uint32_t inScope = 0;
    std::uint32_t most = 0;
    for (const clang::Stmt *part : runningParts(*node, context_)) {
      most = std::max(most, inScope + statement(part));
      if (const auto *declaration = dyn_cast<clang::DeclStmt>(part))
        inScope += declared(*declaration);
    }
    most = std::max(most, inScope);
    if (const auto *call = dyn_cast<clang::CallExpr>(node))
      if (const clang::FunctionDecl *callee = call->getDirectCallee())
        if (const clang::FunctionDecl *definition = callee->getDefinition();
            definition && !context_.getSourceManager().isInSystemHeader(definition->getLocation()))
          most = std::max(most, function(*definition));
    return most;
  }

  std::uint32_t declared(const clang::DeclStmt &statement) const {
    std::uint32_t words = 0;
    for (const clang::Decl *member : statement.decls())
      if (const auto *variable = dyn_cast<clang::VarDecl>(member);
          variable && variable->isLocalVarDecl() && !variable->hasAttr<clang::CUDASharedAttr>() &&
          !isConstant(*variable))
        words += ofType(variable->getType());
    return words;
  }

  bool isConstant(const clang::VarDecl &variable) const {
    const clang::Expr *value = variable.getInit();
    return variable.getType().isConstQualified() && value && !value->isValueDependent() &&
           value->isEvaluatable(context_);
  }

  clang::ASTContext &context_;
  std::map<const clang::FunctionDecl *, std::uint32_t> functions_;
};

} // namespace

std::uint32_t countLiveWords(const clang::FunctionDecl &kernel, clang::ASTContext &context) {
  ScopeCounter counter(context);
  std::uint32_t words = counter.function(kernel);
  for (const clang::ParmVarDecl *parameter : kernel.parameters())
    if (parameter->getType()->isPointerType())
      words += counter.ofType(parameter->getType());
  return words;
}

} // namespace relayout::instrument
