// SPDX-License-Identifier: Apache-2.0
// The CUDA compiler of this machine.
#include "nvcc.h"

#include "process.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace relayout::tool {
namespace {

bool isProgram(const std::filesystem::path &file) {
  std::error_code status;
  return std::filesystem::is_regular_file(file, status) && access(file.c_str(), X_OK) == 0;
}

} // namespace

std::optional<std::string> findInPath(const std::string &program) {
  const char *path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = std::filesystem::path(folder) / program; isProgram(file))
      return file.string();
  return std::nullopt;
}

std::optional<std::string> findNvcc() {
  if (auto found = findInPath("nvcc"))
    return found;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable))
      if (const auto file = std::filesystem::path(root) / "bin/nvcc"; isProgram(file))
        return file.string();
  if (const std::filesystem::path usual = "/usr/local/cuda/bin/nvcc"; isProgram(usual))
    return usual.string();
  return std::nullopt;
}

bool toolkitMayHelp(const Error &error) { return error.code == "RL-C02" || error.code == "RL-C05"; }

std::string toolkitOf(const std::string &compiler, const std::string &source,
                      const std::string &folder) {
  std::error_code status;
  std::filesystem::create_directories(folder, status);
  const std::string steps = folder + "/steps.txt";
  const auto told = runProcess({{compiler, "--dryrun", "-c", source}, {}, steps});
  constexpr std::string_view kRoot = "#$ TOP=";
  std::ifstream lines(steps);
  std::string root;
  for (std::string line; told && root.empty() && std::getline(lines, line);)
    if (line.starts_with(kRoot))
      root = std::filesystem::weakly_canonical(line.substr(kRoot.size()), status).string();
  std::filesystem::remove(steps, status);
  return root;
}

} // namespace relayout::tool
