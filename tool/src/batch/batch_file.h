// SPDX-License-Identifier: Apache-2.0
// What `relayout batch` reads in each folder: batch.json, which says what to run and how.
#pragma once

#include "relayout/base/result.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

inline constexpr const char *kBatchFileName = "batch.json";

/// A program tuned by hand, to compare with; it is only built and measured. One that runs several
/// variants has a figure for each.
struct HandTuned {
  std::string source; ///< path, resolved against the batch file's folder
  std::vector<std::string> arguments;
  std::map<std::string, std::string> figures; ///< by name; see BatchProgram::figure
};

/// One program with one set of arguments.
struct BatchProgram {
  std::string name;                 ///< unique in a batch; names its folder of results
  std::vector<std::string> sources; ///< the first one is the main file
  std::vector<std::string> flags;   ///< for nvcc
  std::vector<std::string> small;   ///< arguments for the trace and the check on the CPU
  std::vector<std::string> large;   ///< arguments for the measurement on a GPU
  /// Finds the figure of merit in the program's output: the first group is a number, larger is
  /// better. All variants of a program are compared by it.
  std::string figure;
  std::string unit;                 ///< of the figure
  std::vector<std::string> layouts; ///< fixed layouts to compare with; default aligned-aos and soa
  std::vector<HandTuned> handTuned;
};

/// Reads FOLDER/batch.json.
/// \error RL-F01 it cannot be read; RL-B01 it is not what it should be, the text says where
[[nodiscard]] Result<std::vector<BatchProgram>> readBatchFile(const std::string &folder);

/// The programs of all folders below `root` that have a batch file, `root` itself included; in the
/// order of their paths.
/// \error as readBatchFile; RL-B02 no folder has one; RL-B03 two programs have one name
[[nodiscard]] Result<std::vector<BatchProgram>> findBatchPrograms(const std::string &root);

} // namespace relayout::tool
