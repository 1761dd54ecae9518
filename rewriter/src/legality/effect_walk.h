// SPDX-License-Identifier: Apache-2.0
// The walk over a function's body: every statement and expression has to be of a kind that is
// known. Calls are in call_effects.cpp.
#pragma once

#include "legality/effect_record.h"
#include "legality/whole_loops.h"

#include <set>
#include <vector>

namespace relayout::rewriter {

/// Functions whose bodies are being walked, and what they may do.
struct FunctionsAround {
  std::set<const clang::FunctionDecl *> bodies;
  bool mayReadArrays = false;                    ///< whose layout changes
  const clang::CXXRecordDecl *element = nullptr; ///< what they are about, TrackedObject::element
};

/// effectsOn, inside the bodies of others.
[[nodiscard]] ElementEffects effectsIn(const Program &program, const clang::FunctionDecl &callee,
                                       int parameter, FunctionsAround &around);

class EffectWalk {
public:
  EffectWalk(const Program &program, FunctionsAround &around, EffectRecord &record)
      : program_(program), around_(around), record_(record) {}

  void run();

private:
  friend class CallWalk;

  void walk(const clang::Stmt *statement);
  void walkChildren(const clang::Stmt *statement);
  void walkConditional(const clang::Stmt *statement);
  void walkIf(const clang::IfStmt &branch);
  void walkFor(const clang::ForStmt &loop);
  void walkResult(const clang::Expr *value);
  void walkVariable(const clang::Decl &declared);

  void walkExpression(const clang::Expr *expression);
  void walkUnary(const clang::UnaryOperator &unary);
  void walkBinary(const clang::BinaryOperator &binary);
  void walkCast(const clang::CastExpr &conversion);

  /// The part that is accessed: of `c[k]` in a loop over all elements, `c`.
  [[nodiscard]] const clang::Expr *partOf(const clang::Expr *glvalue) const;

  /// A glvalue that is changed.
  void write(const clang::Expr *glvalue);
  /// A glvalue that is read, or bound to a reference to const.
  void read(const clang::Expr *glvalue);
  /// The expressions that a glvalue's subscripts hold.
  void walkIndices(const clang::Expr *glvalue);
  /// Looks at what a chain of members starts from.
  void walkNames(const clang::Expr *glvalue);

  const Program &program_;
  FunctionsAround &around_;
  EffectRecord &record_;
  std::vector<WholeLoop> loops_; ///< around what is walked, without an early end
};

/// One call, or construction, in a body that is walked.
class CallWalk {
public:
  explicit CallWalk(EffectWalk &walk) : walk_(walk), record_(walk.record_) {}

  void walkCall(const clang::CallExpr &call);
  void walkConstruction(const clang::CXXConstructExpr &construction);

private:
  /// An argument that leads to the state which a function of cuRAND changes.
  bool isState(const clang::CallExpr &call, const clang::Expr &given) const;
  void walkResults(const clang::CallExpr &call);
  /// \returns  whether the callee's effects were included
  bool walkObject(const clang::Expr &object, const clang::CXXMethodDecl &method);
  bool walkArgument(const clang::Expr &argument, const clang::FunctionDecl &callee, int index);
  /// An argument that the callee may change, or the object of a method.
  void passMutable(const clang::Expr &argument, const clang::FunctionDecl &callee, int parameter);
  void include(const clang::FunctionDecl &callee, int parameter, const std::string *at = nullptr);
  /// Of a function that is given nothing to change: a const method may change mutable members.
  void includeUnchanging(const clang::FunctionDecl &callee);

  EffectWalk &walk_;
  EffectRecord &record_;
};

} // namespace relayout::rewriter
