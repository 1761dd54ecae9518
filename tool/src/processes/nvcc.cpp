// SPDX-License-Identifier: Apache-2.0
// The CUDA compiler of this machine.
#include "processes/nvcc.h"

#include "processes/process.h"

#include <fmt/format.h>

#include <algorithm>
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
  if (const std::filesystem::path usual = RELAYOUT_CUDA_ROOT "/bin/nvcc"; isProgram(usual))
    return usual.string();
  return std::nullopt;
}

std::string findCccl() {
  std::vector<std::filesystem::path> roots;
  std::error_code status;
  if (const auto nvcc = findInPath("nvcc"))
    roots.push_back(std::filesystem::canonical(*nvcc, status).parent_path().parent_path());
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable))
      roots.emplace_back(root);
  roots.emplace_back(RELAYOUT_CUDA_ROOT);
  for (const std::filesystem::path &root : roots)
    if (const auto folder = root / "include/cccl";
        root.is_absolute() && std::filesystem::is_directory(folder, status))
      return folder.string();
  return {};
}

bool toolkitMayHelp(const Error &error) {
  return error.code == Code::DoesNotParse || error.code == Code::NotOnCpuExecutor;
}

bool namesGpuIn(const std::vector<std::string> &flags) {
  return std::ranges::any_of(flags, [](const std::string &flag) {
    return flag.starts_with("-arch") || flag.starts_with("-gencode") ||
           flag.starts_with("--gpu-architecture") || flag.starts_with("--generate-code");
  });
}

std::vector<std::string> nvccFor(const std::string &nvcc, const std::vector<std::string> &flags) {
  std::vector<std::string> words = {nvcc, "-O3"};
  if (!namesGpuIn(flags))
    words.emplace_back("-arch=native");
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

Result<void> buildWithNvcc(const std::string &nvcc, const GpuBuild &build) {
  std::vector<std::string> command = nvccFor(nvcc, build.flags);
  if (build.sharedRuntime)
    command.insert(command.end(), {"-cudart", "shared"});
  command.insert(command.end(), build.sources.begin(), build.sources.end());
  command.insert(command.end(), {"-o", build.output});
  const std::string log = build.output + ".build.txt";
  const auto result = runProcess({command, {}, log, build.limit});
  if (result && result->succeeded())
    return {};
  return fail(Code::NotMeasured,
              fmt::format("nvcc: {}; '{}' shows why",
                          result ? result->describe() : result.error().text, log));
}

std::string toolkitOf(const std::string &compiler, const std::string &source,
                      const std::string &folder) {
  std::error_code status;
  std::filesystem::create_directories(folder, status);
  const std::string steps = folder + "/steps.txt";
  const auto ran = runProcess({{compiler, "--dryrun", "-c", source}, {}, steps});
  constexpr std::string_view kRoot = "#$ TOP=";
  std::ifstream lines(steps);
  std::string root;
  for (std::string line; ran && root.empty() && std::getline(lines, line);)
    if (line.starts_with(kRoot))
      root = std::filesystem::weakly_canonical(line.substr(kRoot.size()), status).string();
  std::filesystem::remove(steps, status);
  return root;
}

} // namespace relayout::tool
