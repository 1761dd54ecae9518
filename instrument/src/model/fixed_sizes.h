// SPDX-License-Identifier: Apache-2.0
// Whether a program's text says how large its arrays in device memory are.
#pragma once

#include "relayout/instrument/clang/front_end.h"

namespace relayout::instrument {

/// True where the unit allocates nothing, or as much in every run: by constants, `sizeof`, and
/// variables of the function that are given no other values. What it reads from files and standard
/// input is then no matter of size.
[[nodiscard]] bool allocatesFixedSizes(ParsedUnit &unit);

} // namespace relayout::instrument
