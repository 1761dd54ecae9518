// SPDX-License-Identifier: Apache-2.0
// Destructors that are written out and do nothing, `~Vec() {}`.
#pragma once

#include "pass/program.h"

#include <clang/AST/DeclCXX.h>

namespace relayout::rewriter {

/// True for a destructor of the compiler's, or one without a statement; it destroys the members.
[[nodiscard]] bool isEmpty(const Program &program, const clang::CXXDestructorDecl &destructor);

/// True for a class whose objects may be forgotten as well as destroyed: nothing is done then, by
/// its members and bases neither.
[[nodiscard]] bool destroysNothing(const Program &program, const clang::CXXRecordDecl &record);

/// The same of a type, arrays of classes among them.
[[nodiscard]] bool destroysNothing(const Program &program, clang::QualType type);

} // namespace relayout::rewriter
