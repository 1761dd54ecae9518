// SPDX-License-Identifier: Apache-2.0
// Where the tool's own runtime library and CUDA headers are.
#include "processes/install_paths.h"

#include "processes/nvcc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

/// The folder above that of the executable.
fs::path installRoot() {
  std::error_code status;
  return fs::read_symlink("/proc/self/exe", status).parent_path().parent_path();
}

/// The one that was chosen, that relayout was built with, or the first of this machine's.
std::string hostCompiler() {
  if (const char *chosen = std::getenv("RELAYOUT_HOST_COMPILER"))
    return chosen;
  if (fs::exists(RELAYOUT_HOST_COMPILER))
    return RELAYOUT_HOST_COMPILER;
  for (const char *name : {"c++", "clang++", "g++"})
    if (auto found = findInPath(name))
      return *found;
  return "c++"; // what starts it says that it is not there
}

} // namespace

Result<InstallPaths> findInstallPaths() {
  std::error_code status;
  const fs::path root = installRoot();
  InstallPaths paths;
  paths.libraries = (root / RELAYOUT_LIBRARY_SUBDIR).string();
  paths.cudaHeaders = (root / RELAYOUT_HEADERS_SUBDIR).string();
  paths.cccl = findCccl();
  paths.hostCompiler = hostCompiler();
  for (const fs::path &needed : {fs::path(paths.libraries) / "librelayout_host.a",
                                 fs::path(paths.cudaHeaders) / "cuda_runtime.h"})
    if (!fs::exists(needed, status))
      return fail(Code::InstallationIncomplete,
                  fmt::format("the installation is incomplete: '{}' is missing; build or "
                              "install relayout again",
                              needed.string()));
  return paths;
}

Result<std::string> findCalibrationSource() {
  std::error_code status;
  const fs::path file = installRoot() / RELAYOUT_CALIBRATION_SUBDIR / "calibrate.cu";
  if (!fs::exists(file, status))
    return fail(Code::InstallationIncomplete,
                fmt::format("the installation is incomplete: '{}' is missing; build or "
                            "install relayout again",
                            file.string()));
  return file.string();
}

std::vector<std::string> shippedMachineFiles() {
  std::error_code status;
  std::set<std::string> files;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(installRoot() / RELAYOUT_MACHINES_SUBDIR, status))
    if (entry.path().extension() == ".json")
      files.insert(entry.path().string());
  return {files.begin(), files.end()};
}

std::string machineNames() {
  std::vector<std::string> names;
  for (const fs::path file : shippedMachineFiles())
    names.push_back(file.stem().string());
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Result<std::string> findMachineFile(const std::string &nameOrFile) {
  std::error_code status;
  if (fs::is_regular_file(nameOrFile, status))
    return nameOrFile;
  const fs::path shipped = installRoot() / RELAYOUT_MACHINES_SUBDIR / (nameOrFile + ".json");
  if (nameOrFile.find('/') == std::string::npos && fs::is_regular_file(shipped, status))
    return shipped.string();
  return fail(Code::UnknownMachine,
              fmt::format("there is no machine '{}', nor a file of that path; the "
                          "machines there are: {}",
                          nameOrFile, machineNames()));
}

} // namespace relayout::tool
