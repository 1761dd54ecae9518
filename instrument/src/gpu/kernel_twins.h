// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which kernels can have a twin, a second kernel that only counts and so needs fewer
// registers, and how their instances are named.
#pragma once

#include "model/program_reader.h"

#include <optional>
#include <string>

namespace relayout::instrument {

/// The text of a kernel that its twin repeats.
struct TwinText {
  std::string head; ///< up to the brace of its body, with the twin's name
  TokenRange body;  ///< in its braces
  unsigned line;    ///< where the head begins
};

/// Nothing where nothing would be gained, without a loop, and where there must not be a second one:
/// with static variables, lambdas, local classes or
/// `__func__`, half of a macro invocation or of an #if, a qualified name, an explicit
/// specialisation, or a template among others of its name.
/// \param pattern  a kernel's definition, its template's pattern if it has one
/// \param name     the twin's
[[nodiscard]] std::optional<TwinText> twinText(ReadUnit &unit, const clang::FunctionDecl *pattern,
                                               const std::string &name);

/// The kernels of the unit that have a twin, as the Registration takes them. Instances of templates
/// are left out whose arguments have no name at the end of the unit.
[[nodiscard]] std::string twinRows(const UnitReading &unit);

} // namespace relayout::instrument
