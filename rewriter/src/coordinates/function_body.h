// SPDX-License-Identifier: Apache-2.0
// The statements of one function: what is around what, and where its variables keep their values.
#pragma once

#include "pass/parent_index.h"

#include <clang/AST/Stmt.h>

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace relayout::rewriter {

class FunctionBody {
public:
  FunctionBody(const ParentIndex &index, const clang::FunctionDecl &function);

  [[nodiscard]] const clang::FunctionDecl &function() const { return function_; }
  /// Null for the body itself, and for what does not stand in it.
  [[nodiscard]] const clang::Stmt *parentOf(const clang::Stmt *statement) const;
  [[nodiscard]] bool isInside(const clang::Stmt *inner, const clang::Stmt *outer) const;
  /// The statement that declares a local variable; null for parameters.
  [[nodiscard]] const clang::Stmt *declarationOf(const clang::VarDecl &variable) const;
  /// True where a variable's name means it at a place in the body.
  [[nodiscard]] bool means(const clang::VarDecl &variable, const clang::Stmt &at) const;
  /// True where statements may be reached but through those before and around them: by `goto`.
  [[nodiscard]] bool hasLabels() const { return hasLabels_; }
  /// What stands around that statement, or the body for parameters.
  [[nodiscard]] const clang::Stmt *scopeOf(const clang::VarDecl &variable) const;
  /// Null where none or several variables of the function have this name.
  [[nodiscard]] const clang::VarDecl *onlyVariableNamed(llvm::StringRef name) const;

  /// True for a variable that has one value from its declaration on.
  [[nodiscard]] bool isNeverChanged(const clang::VarDecl &variable) const;

  /// True for a record that is passed by value, and of which only members are read, or all of it
  /// copied.
  [[nodiscard]] bool isOnlyRead(const clang::ParmVarDecl &record) const;

  /// True for a variable that has one value from a statement on, until its scope is left.
  [[nodiscard]] bool isSettled(const clang::VarDecl &variable, const clang::Stmt &from) const;

  /// True where a variable has the same value at both places whenever the first led to the second:
  /// it never changes, or it is the variable of a loop whose body has them both.
  /// \param before  on the way to `access`
  [[nodiscard]] bool keepsValue(const clang::VarDecl &variable, const clang::Stmt &before,
                                const clang::Stmt &access) const;

  /// The innermost loop around the access that counts with this variable, which nothing else
  /// changes in it; null where there is none.
  [[nodiscard]] const clang::ForStmt *loopCounting(const clang::VarDecl &variable,
                                                   const clang::Stmt &access) const;

private:
  void add(const clang::Stmt &statement);
  void addDeclared(const clang::Decl &declaration, const clang::Stmt &statement);
  [[nodiscard]] std::vector<const clang::VarDecl *> variablesNamed(llvm::StringRef name) const;
  [[nodiscard]] bool isCounted(const clang::VarDecl &variable, const clang::ForStmt &loop) const;

  const ParentIndex &index_;
  const clang::FunctionDecl &function_;
  std::unordered_map<const clang::Stmt *, const clang::Stmt *> parents_;
  std::unordered_map<const clang::VarDecl *, const clang::Stmt *> declarations_;
  std::set<std::string> otherNames_; ///< of what is declared in the body and is no variable
  bool hasLabels_ = false;
};

/// What a loop does to its variable between two passes through its body.
struct Counting {
  const clang::VarDecl *variable = nullptr;
  const clang::Expr *start = nullptr; ///< what it is set to at first
  std::int64_t step = 0;              ///< not zero
};

/// Of `for (int i = start; …; ++i)`; nothing for loops of other forms.
[[nodiscard]] std::optional<Counting> countingOf(const clang::ForStmt &loop,
                                                 const clang::ASTContext &ast);

} // namespace relayout::rewriter
