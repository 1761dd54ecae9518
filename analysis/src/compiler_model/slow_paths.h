// SPDX-License-Identifier: Apache-2.0
// Compiler model: arithmetic that has a branch in it, for what its approximation does not get
// right.
#pragma once

#include "relayout/trace/code_outline.h"

namespace relayout::analysis {

[[nodiscard]] bool hasSlowPath(const trace::code::Divide &division, const trace::FloatMath &math);

/// Barriers and fences as well end straight-line code.
/// \source  machine code of each function with one argument after the other from memory, nvcc 13.0,
///          sm_90, -O3, with and without -use_fast_math
[[nodiscard]] bool hasSlowPath(const trace::code::LibraryCall &call, const trace::FloatMath &math);

} // namespace relayout::analysis
