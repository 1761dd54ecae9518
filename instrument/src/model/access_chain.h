// SPDX-License-Identifier: Apache-2.0
// What an access belongs to: the chain of members and elements from a glvalue back to the object or
// the pointer that it starts from.
#pragma once

#include "model/walk_context.h"

namespace relayout::instrument {

/// What an expression's value is used for. ReadInPlace: read through its address or through a
/// reference to it, so that it must stay an lvalue.
enum class Use { None, Read, ReadInPlace, Write, ReadWrite, Address, BindConst, BindMutable };

/// What binding a reference of this type does to the object.
[[nodiscard]] Use bindingUse(clang::QualType referenceType);

/// What a chain starts from.
enum class Root { Local, Pointer, Variable, Reference };

/// A member or element of a record object, as `p[i].pos[k]` is.
struct Chain {
  Root root = Root::Local;
  const clang::CXXRecordDecl *record = nullptr; ///< of the object at the root, if the user's
  const clang::FieldDecl *field = nullptr;      ///< direct member of record; null: all of it
  const clang::FieldDecl *last = nullptr;       ///< innermost member named
  const clang::Expr *object = nullptr;          ///< names the root, for its group
};

/// The array glvalue that decays to this pointer, or null.
[[nodiscard]] const clang::Expr *decayedArray(const clang::Expr *pointer);

/// The field that a pointer is the address of: `p[i].v` of `&p[i].v`, `p[i].at` where it decays,
/// either of a local variable that keeps to it; null for other pointers.
[[nodiscard]] const clang::Expr *fieldBehind(const clang::Expr *pointer);

/// Whether the cast of a pointer leaves the size of the scalar that it points to, as
/// `(unsigned long long *)sum` does of a `double *`, which atomics compare as a whole number.
[[nodiscard]] bool leavesPointeeSize(const clang::CastExpr &conversion,
                                     const clang::ASTContext &ast);

/// A pointer of a function's own that is given no other value than the first.
[[nodiscard]] bool keepsToItsArray(const clang::VarDecl &variable);

/// What a glvalue names once parentheses and casts between classes are taken off.
[[nodiscard]] const clang::Expr *throughGlvalueCasts(const clang::Expr *glvalue);

class ChainResolver {
public:
  explicit ChainResolver(const WalkContext &context) : context_(context) {}

  [[nodiscard]] Chain resolve(const clang::Expr *glvalue) const;
  /// \param chain    members named behind the pointer so far
  [[nodiscard]] Chain rootedInPointer(Chain chain, const clang::Expr *pointer) const;

private:
  /// Of a parameter that is given a field: the chain to the field. \returns whether it is one
  bool rootInArgument(Chain &chain, const clang::Expr *name) const;
  /// Sets the record of the array that `object` names, of elements of a type.
  void setRecord(Chain &chain, clang::QualType type, const clang::Expr *object) const;
  /// Takes one member off. \returns the expression that it is a member of; null: the chain ends
  [[nodiscard]] const clang::Expr *throughMember(Chain &chain,
                                                 const clang::MemberExpr &member) const;
  /// Where a name ends the chain, its root. \returns what a structured binding stands for, or null
  [[nodiscard]] const clang::Expr *throughName(Chain &chain, const clang::DeclRefExpr &name) const;

  const WalkContext &context_;
};

} // namespace relayout::instrument
