// SPDX-License-Identifier: Apache-2.0
// One walk over a parsed program: what stands around each expression, and every place that names
// something. The rewriter climbs from names outwards, so that nothing it did not think of goes
// unseen.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PointerIntPair.h>

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace relayout::rewriter {

/// What directly holds an expression: exactly one is set; `inType` for an expression that is part
/// of a written type, as in decltype.
struct Parent {
  const clang::Stmt *stmt = nullptr;
  const clang::Decl *decl = nullptr;
  const clang::CXXCtorInitializer *initialiser = nullptr;
  bool inType = false;
};

/// An expression that names a declaration, or calls a function.
struct Naming {
  const clang::Expr *expression = nullptr;
  const clang::FunctionDecl *function = nullptr; ///< innermost around it; null at file scope
  bool isDependent = false;                      ///< stands in a template, not an instantiation
};

/// The declaration that is named, or the function that is called; null: one that only the call
/// knows.
[[nodiscard]] const clang::ValueDecl *namedBy(const Naming &naming);

class ParentIndex {
public:
  explicit ParentIndex(instrument::ParsedUnit &unit);

  [[nodiscard]] Parent parentOf(const clang::Stmt *statement) const;
  /// The statement that declares a local variable; null for others.
  [[nodiscard]] const clang::DeclStmt *declarationOf(const clang::VarDecl &variable) const {
    return declarations_.lookup(&variable);
  }
  [[nodiscard]] const std::vector<Naming> &namings() const { return namings_; }
  /// Calls of constructors, explicit or not.
  [[nodiscard]] const std::vector<Naming> &constructions() const { return constructions_; }
  [[nodiscard]] const std::vector<const clang::DeclaratorDecl *> &declarators() const {
    return declarators_;
  }
  [[nodiscard]] const std::vector<const clang::DeclRefExpr *> &
  referencesTo(const clang::VarDecl *variable) const;
  /// The places in a method's body that say `this`, or mean it.
  [[nodiscard]] const std::vector<const clang::CXXThisExpr *> &
  thisIn(const clang::FunctionDecl *method) const;
  /// Of a name, a call, a written cast, or a `new`: the innermost function.
  [[nodiscard]] const clang::FunctionDecl *functionAround(const clang::Expr *expression) const;
  /// True when some function of this name takes an rvalue reference: whether its argument is a
  /// temporary may then decide which function is called.
  [[nodiscard]] bool tellsTemporaries(clang::DeclarationName name) const {
    return temporaryTakers_.count(name) != 0;
  }
  /// A parameter that the type of a pointer to functions is written with.
  [[nodiscard]] bool isOfPointer(const clang::ParmVarDecl &parameter) const {
    return declaredWith(parameter) != nullptr;
  }
  /// What is declared with that type; null for other parameters. They have no scope of their own.
  [[nodiscard]] const clang::NamedDecl *declaredWith(const clang::ParmVarDecl &parameter) const {
    return ofPointers_.lookup(&parameter);
  }
  /// What is declared as pointers to functions, whose type is written out, or names such a type.
  struct PointerToFunctions {
    const clang::NamedDecl *declared = nullptr;
    clang::FunctionProtoTypeLoc function;
  };
  [[nodiscard]] const std::vector<PointerToFunctions> &pointersToFunctions() const {
    return pointersToFunctions_;
  }
  /// Whether a function calls others through pointers, which `calleesOf` does not tell.
  [[nodiscard]] bool callsThroughPointer(const clang::FunctionDecl *function) const {
    return throughPointers_.count(function) != 0;
  }
  /// Whether a lambda holds the variable's value, and not a reference to it.
  [[nodiscard]] bool isCopiedByLambda(const clang::VarDecl &variable) const {
    return copiedByLambdas_.count(&variable) != 0;
  }
  /// The methods that override one, directly or not, in this unit.
  [[nodiscard]] std::vector<const clang::FunctionDecl *>
  overridersOf(const clang::CXXMethodDecl &method) const;
  /// Functions of the user's that this one calls directly.
  [[nodiscard]] const std::set<const clang::FunctionDecl *> &
  calleesOf(const clang::FunctionDecl *function) const;

private:
  class Walker;

  enum class Kind : unsigned { Stmt, Decl, Initialiser, Type };
  using Packed = llvm::PointerIntPair<const void *, 2, Kind>; ///< a Parent; there is one a node
  static Packed packed(const Parent &parent);

  llvm::DenseMap<const clang::Stmt *, Packed> parents_;
  llvm::DenseMap<const clang::Decl *, const clang::DeclStmt *> declarations_;
  std::vector<Naming> namings_;
  std::vector<Naming> constructions_;
  std::vector<const clang::DeclaratorDecl *> declarators_;
  llvm::DenseMap<const clang::ParmVarDecl *, const clang::NamedDecl *> ofPointers_;
  std::vector<PointerToFunctions> pointersToFunctions_;
  std::set<const clang::FunctionDecl *> throughPointers_;
  std::set<const clang::ValueDecl *> copiedByLambdas_;
  std::map<const clang::CXXMethodDecl *, std::vector<const clang::CXXMethodDecl *>>
      overriders_; ///< directly, by canonical declaration
  std::unordered_map<const clang::VarDecl *, std::vector<const clang::DeclRefExpr *>> references_;
  std::map<const clang::FunctionDecl *, std::vector<const clang::CXXThisExpr *>> thisExpressions_;
  llvm::DenseMap<const clang::Expr *, const clang::FunctionDecl *> functions_;
  std::map<const clang::FunctionDecl *, std::set<const clang::FunctionDecl *>> callees_;
  std::set<clang::DeclarationName> temporaryTakers_;
};

} // namespace relayout::rewriter
