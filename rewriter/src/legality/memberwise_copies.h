// SPDX-License-Identifier: Apache-2.0
// Copy and move functions that are written out and do what the compiler's would do.
#pragma once

#include "pass/program.h"

#include <clang/AST/DeclCXX.h>

#include <optional>
#include <string>

namespace relayout::rewriter {

/// True for a copy or move constructor or assignment of the compiler's, or one that copies every
/// member and does nothing else.
[[nodiscard]] bool copiesMembers(const Program &program, const clang::CXXMethodDecl &function);

/// Device code may copy an object of the class: no copy function is the host's alone.
[[nodiscard]] bool copiesOnDevice(const clang::CXXRecordDecl &record);

struct CopyObstacle {
  std::string text; ///< "has a destructor"
  clang::SourceLocation where;
};

/// Why copying an object of this class is more than to copy its members.
[[nodiscard]] std::optional<CopyObstacle> obstacleToCopies(const Program &program,
                                                           const clang::CXXRecordDecl &record);

} // namespace relayout::rewriter
