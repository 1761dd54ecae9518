// SPDX-License-Identifier: Apache-2.0
// What calls through pointers may mean: the functions that a unit names as values, and the types of
// pointers to functions that it writes out.
#pragma once

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/SetVector.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace relayout::instrument {

/// Traversed over a unit.
class FunctionsAsValues : public clang::DynamicRecursiveASTVisitor {
public:
  using Parameters = llvm::ArrayRef<clang::ParmVarDecl *>;

  FunctionsAsValues() { ShouldVisitTemplateInstantiations = true; }

  bool VisitCallExpr(clang::CallExpr *call) override {
    called_.insert(call->getCallee()->IgnoreParenImpCasts());
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
        function && !called_.contains(name))
      named_.insert(function);
    return true;
  }

  bool VisitFunctionProtoTypeLoc(clang::FunctionProtoTypeLoc type) override {
    const Parameters parameters = type.getParams();
    const auto *function =
        parameters.empty() || !parameters.front()
            ? nullptr
            : llvm::dyn_cast<clang::FunctionDecl>(parameters.front()->getDeclContext());
    const bool isOfFunction =
        function && llvm::is_contained(function->parameters(), parameters.front());
    if (!parameters.empty() && parameters.front() && !isOfFunction)
      written_[type.getType().getCanonicalType()].push_back(parameters);
    return true;
  }

  [[nodiscard]] bool contains(const clang::FunctionDecl *kernel) const {
    return std::ranges::any_of(named_, [&](const clang::FunctionDecl *named) {
      return named->getCanonicalDecl() == kernel->getCanonicalDecl();
    });
  }

  /// The functions of a type, in the order of the program.
  [[nodiscard]] std::vector<const clang::FunctionDecl *> ofType(clang::QualType pointer) const {
    std::vector<const clang::FunctionDecl *> found;
    const clang::QualType type = pointer->getPointeeType();
    for (const clang::FunctionDecl *function : named_)
      if (!type.isNull() && type.getCanonicalType() == function->getType().getCanonicalType())
        found.push_back(function);
    return found;
  }

  /// By types of functions: the parameters that each type of pointers to them is written with.
  [[nodiscard]] const std::map<clang::QualType, std::vector<Parameters>,
                               bool (*)(clang::QualType, clang::QualType)> &
  written() const {
    return written_;
  }

private:
  static bool isBefore(clang::QualType a, clang::QualType b) {
    return a.getAsOpaquePtr() < b.getAsOpaquePtr();
  }

  std::set<const clang::Stmt *> called_;
  llvm::SetVector<const clang::FunctionDecl *> named_;
  std::map<clang::QualType, std::vector<Parameters>, bool (*)(clang::QualType, clang::QualType)>
      written_{isBefore};
};

} // namespace relayout::instrument
