// SPDX-License-Identifier: Apache-2.0
// Where the tool's own runtime library and CUDA headers are.
#include "install_paths.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace relayout::tool {

namespace fs = std::filesystem;

Result<InstallPaths> findInstallPaths() {
  std::error_code status;
  const fs::path root = fs::read_symlink("/proc/self/exe", status).parent_path().parent_path();
  InstallPaths paths;
  paths.libraries = (root / RELAYOUT_LIBRARY_SUBDIR).string();
  paths.cudaHeaders = (root / RELAYOUT_HEADERS_SUBDIR).string();
  const char *chosen = std::getenv("RELAYOUT_HOST_COMPILER");
  paths.hostCompiler = chosen ? chosen : RELAYOUT_HOST_COMPILER;
  if (!chosen && !fs::exists(paths.hostCompiler))
    paths.hostCompiler = "c++";
  for (const fs::path &needed : {fs::path(paths.libraries) / "librelayout_host.a",
                                 fs::path(paths.cudaHeaders) / "cuda_runtime.h"})
    if (!fs::exists(needed, status))
      return fail("RL-X01", fmt::format("the installation is incomplete: '{}' is missing; build or "
                                        "install relayout again",
                                        needed.string()));
  return paths;
}

} // namespace relayout::tool
