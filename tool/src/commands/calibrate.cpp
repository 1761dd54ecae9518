// SPDX-License-Identifier: Apache-2.0
// `relayout calibrate`: measures this machine's GPU for the cost model of policy replay.
#include "commands/commands.h"
#include "processes/files.h"
#include "processes/gpu_trial.h"
#include "processes/install_paths.h"
#include "processes/nvcc.h"
#include "processes/process.h"
#include "processes/temporary_folder.h"
#include "reports/answer.h"
#include "reports/console.h"

#include "relayout/analysis/gpu/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace relayout::tool {
namespace {

/// \returns the text of the machine file
Result<std::string> measure(bool isQuiet) {
  auto source = findCalibrationSource();
  if (!source)
    return tl::unexpected(source.error());
  auto trial = tryGpuInChild();
  if (!trial)
    return tl::unexpected(trial.error());
  if (!trial->failure.empty())
    return fail(
        Code::CalibrationFailed,
        fmt::format("there is no GPU to measure: {}; 'relayout doctor' says more", trial->failure));
  const auto nvcc = findNvcc();
  if (!nvcc)
    return fail(Code::CalibrationFailed,
                "there is no nvcc in PATH, nor below CUDA_HOME or /usr/local/cuda; "
                "needed one to compile the kernels that are timed");
  auto folder = TemporaryFolder::make();
  if (!folder)
    return tl::unexpected(folder.error());
  Progress progress(2, isQuiet);
  const std::string program = folder->file("calibrate");
  const std::string log = folder->file("log");
  progress.begin("compile the kernels for this GPU");
  auto compiled =
      runProcess({{*nvcc, "-O3", "-std=c++17", "-arch=native", "-o", program, *source}, {}, log});
  if (!compiled)
    return tl::unexpected(compiled.error());
  const auto words = [&] { return readFile(log).value_or(""); };
  if (!compiled->succeeded())
    return fail(Code::CalibrationFailed,
                fmt::format("the kernels do not compile for this machine's GPU; nvcc "
                            "{}:\n{}",
                            compiled->describe(), words()));
  progress.begin("time them");
  auto ran = runProcess({{program}, {}, log});
  progress.end();
  if (!ran)
    return tl::unexpected(ran.error());
  if (!ran->succeeded())
    return fail(
        Code::CalibrationFailed,
        fmt::format("the GPU cannot be measured; the kernels {}:\n{}", ran->describe(), words()));
  return readFile(log);
}

} // namespace

Command registerCalibrate(CLI::App &app) {
  struct Options {
    std::string out = "machine.json";
    bool quiet = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand(
      "calibrate", "Measure this machine's GPU for 'optimize --policy replay --machine FILE'");
  parser->add_option("-o,--out", options->out, "Machine file")->capture_default_str();
  parser->add_flag("-q,--quiet", options->quiet, "Do not show progress");
  parser->footer("Needs a GPU and nvcc; takes seconds. Let nothing else run on the GPU meanwhile.");
  auto execute = [options](const ForwardedWords &) -> int {
    auto text = measure(options->quiet);
    if (!text)
      return report(text.error());
    const auto machine = analysis::machineFromJson(*text);
    if (!machine)
      return report(machine.error());
    if (auto written = writeFile(options->out, *text); !written)
      return report(written.error());
    answer("machine_file", options->out);
    answer("machine", nlohmann::ordered_json::parse(*text));
    fmt::print("{}: {}, DRAM {:.0f} GB/s, {} SMs, L2 {:.0f} MiB\n", options->out, machine->name,
               machine->dramBytesPerNs, machine->sms,
               static_cast<double>(machine->l2Bytes) / (1 << 20));
    return kDone;
  };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
