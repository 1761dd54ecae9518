// SPDX-License-Identifier: Apache-2.0
// Structs that hold a pointer which becomes a view, and grow with it.
#pragma once

#include "pass/program.h"

#include <clang/AST/DeclCXX.h>

#include <set>

namespace relayout::rewriter {

using Holders = std::set<const clang::CXXRecordDecl *>; ///< canonical

/// \returns  null for types that are no class
[[nodiscard]] const clang::CXXRecordDecl *recordOfValue(clang::QualType type);

/// The record that a pointer, array or reference leads to in one step.
[[nodiscard]] const clang::CXXRecordDecl *recordBehind(clang::QualType type);

/// The structs with a member that becomes a view, directly or inside a member or base.
[[nodiscard]] Holders holdersIn(const Program &program);

/// Refuses functions of other units that are declared here and given such a struct, where this unit
/// has another definition of it, which does not grow.
void checkOtherDefinitions(Program &program);

} // namespace relayout::rewriter
