// SPDX-License-Identifier: Apache-2.0
// The GPU of this machine, and the compiler for it.
#include "processes/gpu_machine.h"

#include "processes/files.h"
#include "processes/nvcc.h"
#include "processes/process.h"
#include "processes/temporary_folder.h"

#include <optional>
#include <regex>
#include <vector>

namespace relayout::tool {
namespace {

/// Output of a program that ended well.
std::optional<std::string> outputOf(const std::vector<std::string> &command,
                                    const std::string &file) {
  const Result<ProcessResult> result = runProcess({command, {}, file});
  if (!result || !result->succeeded())
    return std::nullopt;
  const Result<std::string> text = readFile(file);
  return text ? std::optional(*text) : std::nullopt;
}

} // namespace

Result<GpuMachine> findGpuMachine() {
  const auto folder = TemporaryFolder::make();
  if (!folder)
    return tl::unexpected(folder.error());
  const std::optional<std::string> gpu = outputOf(
      {"nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"},
      folder->file("gpu.txt"));
  std::smatch match;
  if (!gpu || !std::regex_search(*gpu, match, std::regex("([^,\n]+), *([^,\n]+)(, *([0-9.]+))?")))
    return fail(Code::NoUsableGpu, "no GPU was found (nvidia-smi names none)");
  GpuMachine machine{match[1], match[2], match[4], {}, findNvcc().value_or("nvcc")};
  const std::optional<std::string> nvcc =
      outputOf({machine.compiler, "--version"}, folder->file("nvcc.txt"));
  if (!nvcc || !std::regex_search(*nvcc, match, std::regex("V([0-9.]+)")))
    return fail(Code::NoUsableGpu, "nvcc was not found");
  machine.nvcc = match[1];
  return machine;
}

} // namespace relayout::tool
