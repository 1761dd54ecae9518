// SPDX-License-Identifier: Apache-2.0
// The CUDA compiler of this machine.
#pragma once

#include <optional>
#include <string>

namespace relayout::tool {

/// The nvcc in PATH, else that below CUDA_HOME, CUDA_PATH or /usr/local/cuda.
[[nodiscard]] std::optional<std::string> findNvcc();

/// The program of this name in PATH.
[[nodiscard]] std::optional<std::string> findInPath(const std::string &program);

} // namespace relayout::tool
