// SPDX-License-Identifier: Apache-2.0
// Where the tool's own runtime library, CUDA headers and machine files are: beside the executable,
// in the build tree and in the installed tree alike.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"

#include <string>
#include <vector>

namespace relayout::tool {

struct InstallPaths {
  std::string libraries;    ///< folder of librelayout_host.a and its companions
  std::string cudaHeaders;  ///< folder of cuda_runtime.h for the CPU executor
  std::string cccl;         ///< folder of a toolkit's Thrust, CUB and libcu++; empty: none
  std::string hostCompiler; ///< C++ compiler for lowered programs

  [[nodiscard]] instrument::HeaderFolders headers() const { return {cudaHeaders, cccl}; }
};

/// \error RL-X01 a part of the installation is missing
[[nodiscard]] Result<InstallPaths> findInstallPaths();

/// Of the machine files that relayout came with: "a100, b200, h100".
[[nodiscard]] std::string machineNames();

/// Their files.
[[nodiscard]] std::vector<std::string> shippedMachineFiles();

/// The machine file that a name or a path means; a file that exists goes first.
/// \error RL-M02 there is no such file, nor one of that name in the installation
[[nodiscard]] Result<std::string> findMachineFile(const std::string &nameOrFile);

/// The program that `relayout calibrate` compiles.
/// \error RL-X01 it is missing
[[nodiscard]] Result<std::string> findCalibrationSource();

} // namespace relayout::tool
