// SPDX-License-Identifier: Apache-2.0
// Tries this machine's GPU in child processes.
#include "processes/gpu_trial.h"
#include "processes/files.h"
#include "processes/process.h"
#include "processes/temporary_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <unistd.h>

namespace relayout::tool {

/// A driver that hangs must not hang the tool. Ample: the slowest trial takes a few seconds.
constexpr unsigned kTrialSeconds = 60;

std::vector<std::string> trialCommand(const std::string &file) {
  std::error_code ignored;
  return {std::filesystem::read_symlink("/proc/self/exe", ignored).string(), "doctor", "--try",
          file};
}

Result<void> runTrial(const std::string &file) {
  alarm(kTrialSeconds);
  return writeFile(file, gpu::toJson(gpu::tryGpu()));
}

Result<gpu::GpuTrial> tryGpuInChild() {
  auto folder = TemporaryFolder::make();
  if (!folder)
    return tl::unexpected(folder.error());
  const std::string file = folder->file("trial.json");
  auto ran = runProcess({trialCommand(file), {}, folder->file("log")});
  if (!ran)
    return tl::unexpected(ran.error());
  if (const auto text = readFile(file))
    if (auto trial = gpu::gpuTrialFromJson(*text))
      return *trial;
  gpu::GpuTrial dead;
  dead.failure = fmt::format("the process that tried it {}", ran->describe());
  return dead;
}

} // namespace relayout::tool
