// SPDX-License-Identifier: Apache-2.0
// The CUDA compiler of this machine.
#pragma once

#include "relayout/base/result.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

/// The nvcc in PATH, else that below CUDA_HOME, CUDA_PATH or /usr/local/cuda.
[[nodiscard]] std::optional<std::string> findNvcc();

/// Folder of the Thrust, CUB and libcu++ of the toolkit that the nvcc in PATH belongs to, or of the
/// one at CUDA_HOME, CUDA_PATH or /usr/local/cuda; empty: there is none, or they are among its
/// CUDA headers, as before CUDA 13.
[[nodiscard]] std::string findCccl();

/// Whether reading a program against our own CUDA headers failed in a way that the toolkit's, which
/// declare all of CUDA, may fix.
[[nodiscard]] bool toolkitMayHelp(const Error &error);

/// A program to build for this machine's GPU.
struct GpuBuild {
  std::vector<std::string> flags;
  std::vector<std::string> sources;
  std::string output;
  /// The CUDA runtime as a library of its own, so that calls to it can be seen; else as users
  /// build.
  bool sharedRuntime = false;
  std::chrono::seconds limit{0}; ///< 0: none
};

/// Whether flags say for which GPU to compile.
[[nodiscard]] bool namesGpuIn(const std::vector<std::string> &flags);

/// Words that compile with these flags, optimised, for this machine's GPU unless they name one.
[[nodiscard]] std::vector<std::string> nvccFor(const std::string &nvcc,
                                               const std::vector<std::string> &flags);

/// \error RL-G04 nvcc fails; OUTPUT.build.txt shows why
[[nodiscard]] Result<void> buildWithNvcc(const std::string &nvcc, const GpuBuild &build);

/// Root of the toolkit this compiler belongs to, as a dry run prints it; empty: it does not.
/// \param folder  for a file that is gone afterwards; made if it is not there
[[nodiscard]] std::string toolkitOf(const std::string &compiler, const std::string &source,
                                    const std::string &folder);

/// The program of this name in PATH.
[[nodiscard]] std::optional<std::string> findInPath(const std::string &program);

} // namespace relayout::tool
