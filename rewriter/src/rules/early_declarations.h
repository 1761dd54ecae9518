// SPDX-License-Identifier: Apache-2.0
// Functions that are declared before their records are defined: `class Body; void step(Body *);`,
// methods, and types and members that point to functions among them. The header follows the
// definition, so the view is declared in front.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Whether a parameter or a function, which stands before the record's definition, can name the
/// view there: where it is a declaration alone, and the record's first one a place for the view's.
[[nodiscard]] bool mayNameEarly(const Program &program, const clang::DeclaratorDecl &declarator,
                                const Target &target);

/// Declares the view in front of the record's first declaration, where the declarator names it
/// before the header does.
void declareEarly(Program &program, const clang::DeclaratorDecl &declarator, const Target &target);

/// Declares a record and its views in front of a class, or of another declaration, that stands
/// before the record's definition.
/// \returns  false where that cannot stand there
[[nodiscard]] bool declareViewsBefore(Program &program, const Target &target,
                                      const clang::Decl &before);

} // namespace relayout::rewriter
