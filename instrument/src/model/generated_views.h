// SPDX-License-Identifier: Apache-2.0
// Classes of a rewritten program that take the place of pointers.
#pragma once

#include <clang/AST/DeclCXX.h>

namespace relayout::instrument {

/// What takes a pointer's place, in a header that says that it is generated. Classes of the
/// program's own hold values, whatever they are called.
[[nodiscard]] bool isView(const clang::CXXRecordDecl &record);

} // namespace relayout::instrument
