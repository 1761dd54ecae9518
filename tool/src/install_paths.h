// SPDX-License-Identifier: Apache-2.0
// Where the tool's own runtime library and CUDA headers are: beside the executable, in the build
// tree and in the installed tree alike.
#pragma once

#include "relayout/base/result.h"

#include <string>

namespace relayout::tool {

struct InstallPaths {
  std::string libraries;    ///< folder of librelayout_host.a and its companions
  std::string cudaHeaders;  ///< folder of cuda_runtime.h for the CPU executor
  std::string hostCompiler; ///< C++ compiler for lowered programs
};

/// \error RL-X01 a part of the installation is missing
[[nodiscard]] Result<InstallPaths> findInstallPaths();

} // namespace relayout::tool
