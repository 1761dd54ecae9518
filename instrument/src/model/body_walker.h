// SPDX-License-Identifier: Apache-2.0
// Walks one device function in evaluation order and notes its record accesses, loops and calls.
#pragma once

#include "model/probe_points.h"
#include "relayout/instrument/clang/token_edits.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// What a walk needs of its unit.
struct WalkContext {
  ParsedUnit &unit;
  TokenEdits &tokens; ///< for its index of places
  Facts &facts;
  bool isHostPass = true;
  std::function<trace::Index(const clang::Expr *)> groupOf;

  [[nodiscard]] StablePlace stable(clang::SourceLocation location) const;
  [[nodiscard]] bool isUsers(clang::SourceLocation location) const;
  /// The definition if this type is a record of the user's with at least one field.
  [[nodiscard]] const clang::CXXRecordDecl *userRecord(clang::QualType type) const;
  /// Key into facts.records, where the record is entered if it is new.
  [[nodiscard]] std::string recordKey(const clang::CXXRecordDecl *record) const;
};

/// Qualified, template arguments left out; a lambda is "(lambda)" in its function.
[[nodiscard]] std::string functionName(const clang::FunctionDecl *function);

/// Direct members, those of bases first: index into trace::Record::fields is index here.
[[nodiscard]] std::vector<const clang::FieldDecl *> allFields(const clang::CXXRecordDecl *record);

/// Record keys of what pointers in this type can reach, through members and further pointers.
[[nodiscard]] bool reachesRecords(const WalkContext &context, clang::QualType type);

class BodyWalker {
public:
  /// \param onCall called for each function with a body in user files that the walked one uses;
  ///        returns the callee's source function
  using OnCall = std::function<SourceFunction *(const clang::FunctionDecl *, const Point *loop)>;

  BodyWalker(WalkContext &context, SourceFunction &source, FunctionInstance &instance,
             OnCall onCall);

  void walkFunction(const clang::FunctionDecl *function);

private:
  /// What an expression's value is used for. ReadInPlace: read through its address or through a
  /// reference to it, so that it must stay an lvalue.
  enum class Use { None, Read, ReadInPlace, Write, ReadWrite, Address, BindConst, BindMutable };
  enum class Root { Local, Pointer, Variable, Reference };
  /// A member or element of a record object, as `p[i].pos[k]` is.
  struct Chain {
    Root root = Root::Local;
    const clang::CXXRecordDecl *record = nullptr; ///< of the object at the root, if the user's
    const clang::FieldDecl *field = nullptr;      ///< direct member of record; null: all of it
    const clang::FieldDecl *last = nullptr;       ///< innermost member named
    const clang::Expr *object = nullptr;          ///< names the root, for its group
  };

  void walk(const clang::Stmt *statement, Use use = Use::None);
  void walkExpression(const clang::Expr *expression, Use use);
  void walkCast(const clang::CastExpr *cast, Use use);
  void walkChildren(const clang::Stmt *statement);
  void walkPart(const clang::Stmt *part, std::optional<const clang::Stmt *> never,
                Use use = Use::None);
  void walkInitializer(const clang::Expr *value, clang::QualType type);
  void walkInside(const clang::Expr *glvalue);
  void walkChain(const clang::Expr *glvalue, Use use);
  void walkCall(const clang::CallExpr *call, Use use);
  void walkArguments(const clang::CallExpr *call, const clang::FunctionDecl *callee);
  Use foreignUse(const clang::Expr *operand, Use use, const clang::FunctionDecl *callee);
  void walkConstruct(const clang::CXXConstructExpr *construct);
  void walkBinary(const clang::BinaryOperator *binary, Use use);
  void walkLambda(const clang::LambdaExpr *lambda);
  void walkDeclaration(const clang::DeclStmt *declaration);
  void walkIf(const clang::IfStmt *branch);
  void walkLoop(const clang::Stmt *loop);
  void walkLoopParts(const clang::Stmt *loop);
  void walkAtomicPointer(const clang::Expr *pointer);
  void walkPlain(const Chain &chain, const clang::Expr *glvalue, Use use);

  [[nodiscard]] Chain resolve(const clang::Expr *glvalue) const;
  [[nodiscard]] Chain rootedInPointer(Chain chain, const clang::Expr *pointer) const;
  [[nodiscard]] static Use bindingUse(clang::QualType referenceType);
  void noteAccess(const Chain &chain, const clang::Expr *whole, const clang::Expr *edited, Use use,
                  bool isAtomic);
  Point *addPoint(PointKind kind, clang::SourceRange range);
  void noteUnprobable(const clang::Expr *expression);
  /// \returns the function of the user's that is called, if there is one
  const SourceFunction *noteCall(const clang::FunctionDecl *callee, const clang::Expr *call);
  void endRegion();
  void numberRegions();
  void warn(Code code, std::string text, clang::SourceLocation where);
  void remark(Code code, std::string text, clang::SourceLocation where);

  WalkContext &context_;
  SourceFunction &source_;
  FunctionInstance &instance_;
  OnCall onCall_;
  std::size_t cursor_ = 0; ///< where the next new point goes in source_.points
  const Point *loop_ = nullptr;
  const clang::FunctionDecl *function_ = nullptr;

  std::uint32_t region_ = 0;
  std::uint32_t boundaries_ = 0;                  ///< between regions so far
  std::map<std::uint32_t, std::uint32_t> partOf_; ///< regions that turned out to be part of others
  std::vector<std::pair<Point *, std::uint32_t>> regionOf_;
  std::optional<std::uint32_t> unrollCount_; ///< by a pragma in front of the next loop
};

} // namespace relayout::instrument
