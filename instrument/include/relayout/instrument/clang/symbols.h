// SPDX-License-Identifier: Apache-2.0
// By which names the translation units of a program know the same entity, as a linker does.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/Decl.h>

#include <set>
#include <string>

namespace relayout::instrument {

/// The same text for one entity in every unit that sees it, and another for any other entity. What
/// has external linkage is known by its USR; the rest (locals, static and unnamed-namespace
/// entities) by the place of its declaration too, which a shared header gives to all its units.
[[nodiscard]] std::string symbolOf(const ParsedUnit &unit, const clang::NamedDecl *declaration);

/// A record as traces and plans name it: with its namespaces and template arguments.
[[nodiscard]] std::string traceNameOf(const clang::TagDecl &record);

/// A method as lists of functions name it, `Body::advance()`, and all of that name with it.
[[nodiscard]] std::string methodName(const clang::CXXMethodDecl &method);

/// Adds the symbols of all functions and variables that the unit's user files define.
void addDefinitions(ParsedUnit &unit, std::set<std::string> &symbols);

/// A function's template pattern, or itself: the definition, where there is one.
[[nodiscard]] const clang::FunctionDecl *patternOf(const clang::FunctionDecl *function);

} // namespace relayout::instrument
