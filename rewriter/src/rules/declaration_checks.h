// SPDX-License-Identifier: Apache-2.0
// Which declarations cannot become views.
#pragma once

#include "pass/program.h"

#include <optional>

namespace relayout::rewriter {

/// The pointer or reference that a declaration holds: itself, an array's elements, where the array
/// is one of pointers, or what a pointer or reference to a pointer leads to.
[[nodiscard]] clang::QualType heldPointer(clang::QualType type);

/// The record behind a pointer or reference, with its qualifiers.
[[nodiscard]] clang::QualType pointeeOf(clang::QualType type);

/// The function that a declarator is, or else the function or class that it stands in.
[[nodiscard]] const clang::DeclContext *scopeOf(const Program &program,
                                                const clang::DeclaratorDecl &declarator);

/// True in an instance of a template that becomes a function or class of its own.
[[nodiscard]] bool isWrittenOut(const Program &program, const clang::DeclaratorDecl &declarator);

/// Why a variable, parameter or member cannot become a view; nothing where it can.
[[nodiscard]] std::optional<Refusal>
refusalOf(const Program &program, const clang::DeclaratorDecl &declarator, const Target &target);

/// Why a function cannot return a view.
[[nodiscard]] std::optional<Refusal>
refusalOfReturn(const Program &program, const clang::FunctionDecl &function, const Target &target);

} // namespace relayout::rewriter
