// SPDX-License-Identifier: Apache-2.0
// Member function templates over a record, as `template <class T> T *upload(const std::vector<T>
// &)` of a class that owns device memory: the instance becomes a method of its own in the class.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// What stands against writing such an instance out, as "is a constructor"; empty: nothing.
[[nodiscard]] std::string obstacleToMethodCopy(const Program &program,
                                               const clang::CXXMethodDecl &instance);

/// Writes the instance behind its template: whole where the views that it names are known there,
/// else declared there, and defined behind the last of their headers.
void writeMethodCopy(Program &program, const clang::CXXMethodDecl &instance, EditSet &edits);

} // namespace relayout::rewriter
