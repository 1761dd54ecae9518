// SPDX-License-Identifier: Apache-2.0
// Arrays of records that a kernel declares in shared memory: `__shared__ Particle tile[256];`. Used
// by array flow, by the lowering and by the rewriter.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

namespace relayout::instrument {

/// Whether a variable is an array of records in shared memory that may be laid out anew. All that
/// the program does with it is known then, in all instances of its function: fields of single
/// elements are read and written, and elements are copied as a whole. Nothing leads into it but its
/// name. Records are structs of data alone, of the user's; the function is no method, and has no
/// types among its template arguments.
[[nodiscard]] bool isSharedArray(const clang::ValueDecl &declaration);

/// The variable that a statement declares at a place: instances of a template declare theirs where
/// it does. Null where there is none.
[[nodiscard]] const clang::VarDecl *declaredAt(const clang::Stmt &statement,
                                               clang::SourceLocation place);

/// Whether a variable is an array, in device or in shared memory, that may become an object of a
/// class.
[[nodiscard]] bool isArrayVariable(const clang::ValueDecl &declaration);

/// The array of that kind that an expression names; null for other expressions.
[[nodiscard]] const clang::VarDecl *namedArrayVariable(const clang::Expr *expression);

} // namespace relayout::instrument
