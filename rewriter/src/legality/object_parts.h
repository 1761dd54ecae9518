// SPDX-License-Identifier: Apache-2.0
// Parts of objects as functions name them: members, and elements of array members.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <string>

namespace relayout::rewriter {

/// What a glvalue is a part of: a variable, or the object of a method.
struct Root {
  const clang::VarDecl *variable = nullptr;
  bool isThis = false;
  std::string path; ///< of members, outermost first
};

/// The root of `object.member[k]`, also through accessors; nothing where the chain goes through a
/// pointer.
[[nodiscard]] std::optional<Root> rootOf(const clang::Expr *glvalue);

/// A conversion of an object, or of its address, to a base class.
[[nodiscard]] bool isToBase(const clang::CastExpr &conversion);

/// A cast of a pointer to the type that it has, with or without a const more.
[[nodiscard]] bool keepsPointer(const clang::CastExpr &conversion);

/// A written cast of a pointer to one whose type names the same bytes: of the same size, without a
/// larger alignment or a const less.
[[nodiscard]] bool keepsBytes(const clang::ASTContext &context, const clang::CastExpr &conversion);

/// What a glvalue leads to through a pointer: of `s->member[k]` and `(*s).member` the type of `*s`;
/// null for variables and their parts.
[[nodiscard]] clang::QualType behindPointer(const clang::Expr *glvalue);

/// True for two classes of which neither is the other, a base of it, or the type of a part of it:
/// objects of theirs share no memory.
[[nodiscard]] bool areApart(const clang::CXXRecordDecl &one, const clang::CXXRecordDecl &other);

/// "pos" and "x" make "pos.x".
[[nodiscard]] std::string joined(const std::string &outer, const std::string &inner);

/// True when `prefix` names all of which `path` is a part.
[[nodiscard]] bool isUnder(const std::string &path, const std::string &prefix);

/// True when every read of parameter `read` comes before the write of the same part of the object,
/// so that the two may be one and the same.
/// \param function  the declaration with the body
/// \param object  the parameter that is changed, counted from 0; -1: the object of the method
[[nodiscard]] bool readsBeforeWrites(const clang::FunctionDecl &function, int object, int read);

} // namespace relayout::rewriter
