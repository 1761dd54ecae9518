// SPDX-License-Identifier: Apache-2.0
// What nvcc rejects and Clang's front end takes: kernels with more memory of their own than CUDA
// gives them.
#include "model/kernel_limits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <set>

namespace relayout::instrument {
namespace {

constexpr std::uint64_t kParameterBytes = 32'764, kSharedBytes = 49'152;

std::uint64_t bytesOf(const clang::ASTContext &ast, clang::QualType type) {
  return type->isIncompleteType() || type->isDependentType()
             ? 0
             : static_cast<std::uint64_t>(ast.getTypeSizeInChars(type).getQuantity());
}

/// The `__shared__` variables of a function and of those that it calls by name.
class SharedVariables : public clang::DynamicRecursiveASTVisitor {
public:
  explicit SharedVariables(const clang::FunctionDecl &kernel) { follow(kernel); }

  [[nodiscard]] std::uint64_t bytes(const clang::ASTContext &ast) const {
    std::uint64_t sum = 0;
    for (const clang::VarDecl *variable : variables_)
      sum += bytesOf(ast, variable->getType());
    return sum;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    note(*variable);
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl()))
      follow(*function);
    else if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl()))
      note(*variable);
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    if (const auto *method = llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl()))
      follow(*method);
    return true;
  }

private:
  void note(const clang::VarDecl &variable) {
    if (variable.hasAttr<clang::CUDASharedAttr>())
      variables_.insert(variable.getCanonicalDecl());
  }

  void follow(const clang::FunctionDecl &function) {
    const clang::FunctionDecl *defined = nullptr;
    if (function.hasBody(defined) && followed_.insert(defined->getCanonicalDecl()).second)
      TraverseStmt(defined->getBody());
  }

  std::set<const clang::VarDecl *> variables_;
  std::set<const clang::FunctionDecl *> followed_;
};

class KernelLimits : public clang::DynamicRecursiveASTVisitor {
public:
  explicit KernelLimits(ParsedUnit &unit) : unit_(unit) {
    ShouldVisitTemplateInstantiations = true;
  }
  std::optional<Error> beyond;

  bool VisitFunctionDecl(clang::FunctionDecl *kernel) override {
    if (!kernel->hasAttr<clang::CUDAGlobalAttr>() || !kernel->doesThisDeclarationHaveABody() ||
        kernel->isDependentContext())
      return true;
    std::uint64_t parameters = 0;
    for (const clang::ParmVarDecl *parameter : kernel->parameters())
      parameters += bytesOf(unit_.ast(), parameter->getType());
    check(*kernel, "parameters", parameters, kParameterBytes);
    check(*kernel, "__shared__ variables", SharedVariables(*kernel).bytes(unit_.ast()),
          kSharedBytes);
    return !beyond;
  }

private:
  void check(const clang::FunctionDecl &kernel, const char *what, std::uint64_t bytes,
             std::uint64_t allowed) {
    if (bytes > allowed && !beyond)
      beyond = Error{Code::DoesNotParse,
                     fmt::format("kernel '{}' has {} bytes of {}, and CUDA allows {}",
                                 kernel.getNameAsString(), bytes, what, allowed),
                     unit_.place(kernel.getLocation()),
                     {}};
  }

  ParsedUnit &unit_;
};

} // namespace

std::optional<Error> beyondKernelLimits(ParsedUnit &unit) {
  KernelLimits limits(unit);
  limits.TraverseAST(unit.ast());
  return limits.beyond;
}

} // namespace relayout::instrument
