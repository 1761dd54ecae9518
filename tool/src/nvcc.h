// SPDX-License-Identifier: Apache-2.0
// The CUDA compiler of this machine.
#pragma once

#include "relayout/base/result.h"

#include <optional>
#include <string>

namespace relayout::tool {

/// The nvcc in PATH, else that below CUDA_HOME, CUDA_PATH or /usr/local/cuda.
[[nodiscard]] std::optional<std::string> findNvcc();

/// Whether reading a program against our own CUDA headers failed in a way that the toolkit's, which
/// declare all of CUDA, may mend.
[[nodiscard]] bool toolkitMayHelp(const Error &error);

/// Root of the toolkit this compiler belongs to, which it tells in a dry run; empty: it does not.
/// \param folder  for a file that is gone afterwards; made if it is not there
[[nodiscard]] std::string toolkitOf(const std::string &compiler, const std::string &source,
                                    const std::string &folder);

/// The program of this name in PATH.
[[nodiscard]] std::optional<std::string> findInPath(const std::string &program);

} // namespace relayout::tool
