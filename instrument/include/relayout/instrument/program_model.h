// SPDX-License-Identifier: Apache-2.0
// What a CUDA program says about its arrays of structs, as plain structs; no Clang type is here.
#pragma once

#include "relayout/base/diagnostic.h"
#include "relayout/base/result.h"
#include "relayout/instrument/command.h"
#include "relayout/instrument/parsed_program.h"
#include "relayout/trace/site_table.h"

#include <optional>
#include <string>
#include <vector>

namespace relayout::instrument {

/// A `kernel<<<…>>>(…)` expression.
struct LaunchSite {
  trace::Index kernel = trace::kNone; ///< index into SiteTable::kernels
  std::string function;               ///< where it stands
  SourcePlace place;
};

enum class MemoryCall {
  Malloc,
  MallocHost, ///< of page-locked memory, which kernels may reach
  Free,
  Copy,
  Set,
  Other
};

/// A CUDA runtime call that takes an array of records.
struct MemoryOperation {
  MemoryCall call = MemoryCall::Other;
  std::string callee; ///< such as cudaMemcpyAsync
  trace::Index record = trace::kNone;
  trace::Index group = trace::kNone; ///< kNone when the array is not known
  SourcePlace place;
};

/// An array that the program declares in device memory, or a kernel in shared memory.
struct StaticArray {
  std::string name; ///< as ArrayFlow::nameOf() writes it
  trace::Index group = trace::kNone;
  SourcePlace place; ///< of a declaration
};

struct ProgramModel {
  trace::SiteTable sites; ///< records, groups, loops, accesses, kernels, reaches
  std::vector<LaunchSite> launches;
  std::vector<MemoryOperation> memory;
  std::vector<StaticArray> staticArrays;
  /// Accesses and constructs that the model could not take in: never skipped in silence.
  std::vector<Diagnostic> findings;
};

/// What a model says of the kernels' code beyond its accesses: its operations, live values and
/// outlines. They cost as much as the accesses do.
enum class CodeDetail { Described, LeftOut };

/// Parses each unit (host and device pass) and returns the model of the program.
/// \error RL-C01 a file cannot be read; RL-C02 one does not parse (the notes hold
///        Clang's errors); RL-C03 no kernel; RL-C04 no array whose layout could be chosen
[[nodiscard]] Result<ProgramModel> buildProgramModel(const ParsedProgram &program,
                                                     CodeDetail detail = CodeDetail::Described);

/// Why a unit does not parse, once with and once without __CUDA_ARCH__ where its text asks for it,
/// or has kernels with more parameters or shared memory than CUDA allows; nothing for one that
/// does.
[[nodiscard]] std::optional<Error> parseFailure(const CompileCommand &unit,
                                                UnusedTemplates templates);

} // namespace relayout::instrument
