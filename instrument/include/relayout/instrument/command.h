// SPDX-License-Identifier: Apache-2.0
// First step of every source-level stage: which files to read, and with which compiler flags.
#pragma once

#include "relayout/trace/code_outline.h"

#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// nvcc compiles .cu files, and hands .cpp and .c files to the host compiler untouched.
enum class Language { Cuda, Cxx, C };

/// A compile as its build runs it.
struct BuildCommand {
  std::string directory;
  std::vector<std::string> words; ///< compiler first; empty: not known
};

/// Whether templates that nothing instantiates may have faults, as GCC and nvcc let pass.
enum class UnusedTemplates { MayHaveFaults, AreRight };

/// One translation unit, as its build compiles it. Flags are those the user gives nvcc or the host
/// compiler; relative paths are relative to the working directory.
struct CompileCommand {
  std::string file;
  std::vector<std::string> flags; ///< -I, -D, -std=…, and nvcc's own, which are translated
  std::string cudaHeaders;        ///< folder of the CUDA headers to parse against
  Language language = Language::Cuda;
  /// Root of a CUDA toolkit to parse against in place of `cudaHeaders`; empty: none. It declares
  /// all of CUDA, but only programs that nvcc goes on to compile may use what the CPU executor
  /// lacks, and its headers take about a second longer.
  std::string cudaToolkit = {};
  std::string cccl = {}; ///< HeaderFolders::cccl, beside `cudaHeaders`
  /// Trace accesses to all global memory, not only to records.
  bool allAccesses = false;
  /// Look at arrays of scalars as well as at arrays of records.
  bool plainArrays = false;
  BuildCommand build = {};
};

/// Where the headers are that CUDA programs are read against and lowered ones compiled with.
struct HeaderFolders {
  std::string cuda; ///< the CPU executor's own
  /// A toolkit's Thrust, CUB and libcu++, searched after all else; empty: there is none.
  std::string cccl = {};
};

/// A program: the translation units that its build links. One file is a program of one unit.
struct Program {
  std::vector<CompileCommand> units;

  Program() = default;
  Program(CompileCommand unit) { units.push_back(std::move(unit)); } // NOLINT: a unit is a program
};

/// The files of a program as messages name them: the first, and how many more, where they are many.
[[nodiscard]] std::string shortList(const std::vector<std::string> &files);

/// By the file's name; -x cu, -x c++ or -x c among the flags decides otherwise.
[[nodiscard]] Language languageOf(const std::string &file, const std::vector<std::string> &flags);

/// The program of these source files, all compiled with the same flags.
[[nodiscard]] Program programOf(const std::vector<std::string> &files,
                                const std::vector<std::string> &flags,
                                const HeaderFolders &headers);

/// What the CUDA headers of the CPU executor need to know in host C++ units.
inline constexpr const char *kHostUnitFlag = "-DRELAYOUT_HOST_UNIT";

/// Of a unit's flags, those that its program is linked with: -l, -L, -fopenmp and the like.
[[nodiscard]] std::vector<std::string> linkFlagsOf(const std::vector<std::string> &flags);

/// Defined where the build has -fopenmp: Clang reads the program without, so that pragmas change
/// nothing and one omp.h serves.
inline constexpr const char *kOpenMpMacro = "-D_OPENMP=201511";

/// For a unit with a template that is wrong and that nothing instantiates: GCC and nvcc pass over
/// many faults in such code, as Eigen 3.4 has one. Clang, which alone knows the flag, reads a
/// template's code where it is used.
inline constexpr const char *kLateTemplates = "-fdelayed-template-parsing";

/// nvcc's flags as Clang's: unknown ones that only steer code generation are dropped,
/// include folders, macros, language standard and forced includes are kept.
[[nodiscard]] std::vector<std::string> toClangFlags(const std::vector<std::string> &nvccFlags);

/// toClangFlags of a unit; the C++ standard of its program is not a C unit's.
[[nodiscard]] std::vector<std::string> languageFlags(const CompileCommand &unit);

using trace::FloatMath;

/// By nvcc's flags: -use_fast_math approximates all but what -prec-div and -prec-sqrt ask for.
[[nodiscard]] FloatMath floatMathOf(const std::vector<std::string> &nvccFlags);

} // namespace relayout::instrument
