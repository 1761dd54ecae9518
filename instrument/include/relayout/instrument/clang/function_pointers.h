// SPDX-License-Identifier: Apache-2.0
// Pointers to functions of the program's: the parameters that their types are written with stand
// for those of every function that they may lead to.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/TypeLoc.h>

#include <llvm/ADT/ArrayRef.h>

namespace relayout::instrument {

/// The type of functions in `void (*step)(Body *, int)`, an array of such pointers, a reference to
/// one, or a name of such a type; null where none is written out.
[[nodiscard]] clang::FunctionProtoTypeLoc writtenFunction(clang::TypeLoc type);

/// The parameters of `void (*step)(Body *, int)`, an array of such pointers, a reference to one, or
/// a name of such a type; empty where no type of functions is written out.
[[nodiscard]] llvm::ArrayRef<clang::ParmVarDecl *> writtenParameters(clang::TypeLoc type);

/// Those of a variable, a parameter or a member.
[[nodiscard]] llvm::ArrayRef<clang::ParmVarDecl *>
writtenParameters(const clang::ValueDecl &declared);

/// Those of a pointer that an expression names: a variable, a member, an element of an array.
[[nodiscard]] llvm::ArrayRef<clang::ParmVarDecl *> writtenParameters(const clang::Expr &pointer);

} // namespace relayout::instrument
