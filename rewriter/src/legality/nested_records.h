// SPDX-License-Identifier: Apache-2.0
// Records that are defined inside a class. A member of that class may point to them, so that their
// view must be complete before it: the definition moves in front of the class, and an alias takes
// its place.
#pragma once

#include <clang/AST/DeclCXX.h>

#include <set>
#include <string>

namespace relayout::rewriter {

/// The outermost class around a record; null for one at namespace scope.
[[nodiscard]] const clang::CXXRecordDecl *outermostClass(const clang::CXXRecordDecl &record);

/// The names of the classes around it, outermost first: "Grid" for Grid::Cell.
[[nodiscard]] std::string namesAround(const clang::CXXRecordDecl &record);

/// Why the definition of a record inside a class cannot move out of it; empty if it can.
[[nodiscard]] std::string obstacleToMoving(const clang::CXXRecordDecl &record);

/// Where `struct` or `class` stands before the record's name outside of its definition, as in
/// `struct Grid::Cell`: that is no name of an alias.
[[nodiscard]] std::set<clang::SourceLocation> keywordsOf(const clang::CXXRecordDecl &record);

} // namespace relayout::rewriter
