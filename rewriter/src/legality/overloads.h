// SPDX-License-Identifier: Apache-2.0
// Functions of one name, of which a call means one.
#pragma once

#include <clang/AST/Decl.h>

namespace relayout::rewriter {

/// Whether the language converts neither to the other, so that no argument is good for both. Types
/// that depend on a template's parameters may be any, but for `void (*)(A...)`.
[[nodiscard]] bool areApart(clang::QualType a, clang::QualType b);

/// Whether a call that names the function means it, whatever the types of its arguments become:
/// each other function of the name takes something that could not be meant for this one. An
/// instance whose parameters its template's arguments decide on may become a function of its own.
[[nodiscard]] bool hasOneMeaning(const clang::FunctionDecl &function);

} // namespace relayout::rewriter
