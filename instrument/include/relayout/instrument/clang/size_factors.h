// SPDX-License-Identifier: Apache-2.0
// Extents of an array as the program writes them where it allocates.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// Variables and members that may reach the subscripts of a kernel: mentioned in what is passed to
/// a launch, to a function or constructor of the program's own, or to `dim3`, or used in device
/// code.
using PassedNames = std::set<const clang::ValueDecl *>;
[[nodiscard]] PassedNames passedNames(clang::ASTContext &ast);

/// What an extent of an array may be called.
struct ExtentName {
  std::string text;
  std::vector<const clang::ValueDecl *> declarations; ///< whose values it is made of
  bool isSum = false;                                 ///< of them, or a difference
};

/// The arguments of a call, or of a construction.
[[nodiscard]] llvm::ArrayRef<const clang::Expr *> argumentsOf(const clang::Expr &call);

/// What an extent of an array may be called where it is allocated, or where a function or a
/// constructor is called that allocates it: the factors of the integers that are passed, `sizeof`
/// and constants left out ("nx" and "(ny + 2)" of `nx * (ny + 2) * sizeof(double)`; variables that
/// were computed as products are taken apart), and of the passed names the integers that are
/// visible: locals with a value, parameters, members, variables of the file. Each is an expression
/// without side effects that means the same behind the call's arguments; once each.
/// \param call    a CallExpr or a CXXConstructExpr
/// \param around  the function in which it stands; null at file scope
[[nodiscard]] std::vector<ExtentName>
extentNames(const clang::Expr &call, const clang::FunctionDecl *around, const PassedNames &passed);

} // namespace relayout::instrument
