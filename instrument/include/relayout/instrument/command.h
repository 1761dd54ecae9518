// SPDX-License-Identifier: Apache-2.0
// First step of every source-level stage: which file to read, and with which compiler flags.
#pragma once

#include "relayout/trace/code_outline.h"

#include <string>
#include <vector>

namespace relayout::instrument {

/// How to parse a CUDA program. Flags are those the user gives nvcc or clang.
struct CompileCommand {
  std::string file;               ///< as given; relative to the working directory
  std::vector<std::string> flags; ///< -I, -D, -std=…, and nvcc's own, which are translated
  std::string cudaHeaders;        ///< folder of the CUDA headers to parse against
  /// Further source files of the same program, which are read as if `file` included them at its
  /// end; see joined_files.h.
  std::vector<std::string> more = {};
  /// Root of a CUDA toolkit to parse against in place of `cudaHeaders`; empty: none. It declares
  /// all of CUDA, but only programs that nvcc goes on to compile may use what the CPU executor
  /// lacks, and its headers take about a second longer.
  std::string cudaToolkit = {};
  /// Trace accesses to all global memory, not only to records.
  bool allAccesses = false;
};

/// The command for a program of one or several source files.
[[nodiscard]] CompileCommand commandFor(const std::vector<std::string> &files,
                                        std::vector<std::string> flags, std::string cudaHeaders);

/// nvcc's flags as Clang's: unknown ones that only steer code generation are dropped,
/// include folders, macros, language standard and forced includes are kept.
[[nodiscard]] std::vector<std::string> toClangFlags(const std::vector<std::string> &nvccFlags);

using trace::FloatMath;

/// By nvcc's flags: -use_fast_math approximates all but what -prec-div and -prec-sqrt ask for.
[[nodiscard]] FloatMath floatMathOf(const std::vector<std::string> &nvccFlags);

} // namespace relayout::instrument
