// SPDX-License-Identifier: Apache-2.0
// What stands against writing a template's instance out.
#pragma once

#include "pass/program.h"

#include <string>

namespace relayout::rewriter {

/// \param instance  of a function template, a member template or a class template
/// \returns  what continues the instance's name; empty: nothing
[[nodiscard]] std::string obstacleToCopy(const Program &program, const clang::NamedDecl &instance);

} // namespace relayout::rewriter
