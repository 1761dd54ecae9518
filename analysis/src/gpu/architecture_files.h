// SPDX-License-Identifier: Apache-2.0
// The texts of analysis/architectures/*.json; CMake makes architecture_files.cpp of them.
#pragma once

#include <span>

namespace relayout::analysis {

extern const std::span<const char *const> kArchitectureFiles;

} // namespace relayout::analysis
