// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of the layouts that a decision is between, where it is installed.
#pragma once

#include "stages/decide.h"

#include "relayout/instrument/command.h"
#include "relayout/instrument/parsed_program.h"

#include <optional>
#include <string>

namespace relayout::tool {

/// Whether confidence in some decision is low because registers, or the instructions of a walk, are
/// estimates.
[[nodiscard]] bool restsOnEstimatedCode(const analysis::Plan &plan);

/// Compiles the original, the choice, each group's fastest layout, the runner-up, SoA and the
/// aligned record, as far as they differ and are not refused, for the GPU that is predicted for.
/// \param folder  for sources, objects and the compiler's words
/// \returns  nothing where nothing differs from the original; no versions where nvcc does not
///           compile that one in time
/// \error whatever the rewriter or the file system reports
[[nodiscard]] Result<std::optional<analysis::CompiledFinalists>>
compileFinalists(const instrument::Program &program, const instrument::ParsedProgram &parsed,
                 const Decided &decided, const std::string &nvcc, const std::string &folder);

} // namespace relayout::tool
