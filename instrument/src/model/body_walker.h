// SPDX-License-Identifier: Apache-2.0
// Walks one device function in evaluation order and notes its record accesses, loops and calls.
#pragma once

#include "model/probe_notes.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <functional>
#include <optional>

namespace relayout::instrument {

/// A function that a walk got to by a call.
struct Followed {
  SourceFunction *source = nullptr;
  trace::Index outline = trace::kNone; ///< kNone: its own walk goes on
};

class BodyWalker {
public:
  /// \param onCall called for each function with a body in user files that the walked one uses;
  ///        returns where the callee stands in the facts
  using OnCall = std::function<Followed(const clang::FunctionDecl *, const Point *loop)>;

  BodyWalker(WalkContext &context, SourceFunction &source, FunctionInstance &instance,
             OnCall onCall);

  void walkFunction(const clang::FunctionDecl *function);

private:
  void walk(const clang::Stmt *statement, Use use = Use::None);
  void walkExpression(const clang::Expr *expression, Use use);
  void walkNew(const clang::CXXNewExpr &creation);
  void walkUnary(const clang::UnaryOperator *unary, Use use);
  void walkConditional(const clang::ConditionalOperator *choice, Use use);
  void walkCast(const clang::CastExpr *cast, Use use);
  void walkChildren(const clang::Stmt *statement);
  void walkPart(const clang::Stmt *part, std::optional<const clang::Stmt *> never,
                Use use = Use::None);
  void walkInitializer(const clang::Expr *value, clang::QualType type);
  void walkInside(const clang::Expr *glvalue);
  void walkTraced(const clang::Expr *pointer);
  void walkChain(const clang::Expr *glvalue, Use use);
  /// True for `a.at(i)` that returns a reference: what is done to the element is done here.
  [[nodiscard]] bool yieldsElement(const clang::CallExpr &call) const;
  void walkCall(const clang::CallExpr *call, Use use);
  bool walkIntrinsic(const clang::CallExpr *call, llvm::StringRef name, Use use);
  [[nodiscard]] const clang::Expr *copiedRecord(const clang::CallExpr &call, unsigned side) const;
  void walkArguments(const clang::CallExpr *call, const clang::FunctionDecl *callee);
  [[nodiscard]] const clang::Expr *followedField(const clang::Expr &argument,
                                                 const clang::FunctionDecl &callee,
                                                 unsigned number) const;
  [[nodiscard]] Use vectorUse(const clang::Expr *operand, Use use) const;
  Use foreignUse(const clang::Expr *operand, Use use, const clang::FunctionDecl *callee);
  void walkConstruct(const clang::CXXConstructExpr *construct);
  void walkBinary(const clang::BinaryOperator *binary, Use use);
  void walkLambda(const clang::LambdaExpr *lambda);
  void walkDeclaration(const clang::DeclStmt *declaration);
  void walkIf(const clang::IfStmt *branch);
  void walkLoop(const clang::Stmt *loop);
  void walkLoopParts(const clang::Stmt *loop);
  void walkAtomicPointer(const clang::Expr *pointer);
  void walkScalar(const Chain &chain, const clang::Expr *glvalue, Use use);
  void walkPlain(const Chain &chain, const clang::Expr *glvalue, Use use);
  void bindField(const Chain &chain, const clang::Expr *field, Use use);

  /// \returns the outline of the user's function that is called, if there is one
  trace::Index noteCall(const clang::FunctionDecl *callee, const clang::Expr *call);

  WalkContext &context_;
  SourceFunction &source_;
  FunctionInstance &instance_;
  OnCall onCall_;
  ChainResolver chains_;
  ProbeNotes notes_;
  const clang::FunctionDecl *function_ = nullptr;
  const clang::Expr *traced_ = nullptr;      ///< a pointer: what is accessed through it is seen
  std::optional<std::uint32_t> unrollCount_; ///< by a pragma in front of the next loop
};

} // namespace relayout::instrument
