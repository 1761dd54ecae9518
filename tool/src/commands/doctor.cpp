// SPDX-License-Identifier: Apache-2.0
// `relayout doctor`: checks the environment part by part, each really tried, and suggests fixes.
#include "commands/commands.h"
#include "processes/counter_runs.h"
#include "processes/files.h"
#include "processes/gpu_trial.h"
#include "processes/install_paths.h"
#include "processes/nvcc.h"
#include "processes/process.h"
#include "processes/temporary_folder.h"
#include "reports/answer.h"
#include "reports/console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace relayout::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Part {
  std::string name;
  bool works = false;
  std::string found;  ///< what is there, or why it does not work
  std::string costs;  ///< what cannot be done without it
  std::string remedy; ///< what would bring it
};

/// First line of what a program prints that has `word` in it; of any line if that is empty.
std::string lineOf(const std::vector<std::string> &command, const std::string &word,
                   const TemporaryFolder &folder) {
  const std::string log = folder.file("version");
  const auto ran = runProcess({command, {}, log});
  if (!ran || !ran->succeeded())
    return {};
  const std::string text = readFile(log).value_or("");
  const std::size_t at = text.find(word);
  if (at == std::string::npos)
    return {};
  const std::size_t begin = text.rfind('\n', at) + 1; // npos + 1 is 0
  return text.substr(begin, text.find('\n', at) - begin);
}

Part driverPart(const gpu::GpuTrial &trial) {
  const bool works = !trial.cuda.empty();
  return {"driver", works,
          works ? fmt::format("{}, serves CUDA up to {}",
                              trial.driver.empty() ? "version not known" : trial.driver, trial.cuda)
                : trial.failure,
          "nothing runs on a GPU; traces come from the CPU executor",
          "install NVIDIA's driver; in a container, start it with access to the GPU"};
}

Part gpuPart(const gpu::GpuTrial &trial) {
  std::vector<std::string> names;
  for (const gpu::GpuDevice &device : trial.devices)
    names.push_back(fmt::format("{} (compute capability {}.{}, {:.0f} GiB)", device.name,
                                device.major, device.minor,
                                static_cast<double>(device.bytes) / (1u << 30)));
  std::string found = fmt::format("{}", fmt::join(names, ", "));
  if (!trial.failure.empty())
    found += (found.empty() ? "" : ": ") + trial.failure;
  return {"GPU", trial.failure.empty(), found,
          "no trace from a GPU, no measured times; decisions use the machine files that ship",
          "see 'driver'; CUDA_VISIBLE_DEVICES may hide the GPUs"};
}

Part nvccPart(const TemporaryFolder &folder) {
  const auto nvcc = findNvcc();
  const std::string version = nvcc ? lineOf({*nvcc, "--version"}, "release", folder) : "";
  return {"nvcc", !version.empty(),
          !version.empty() ? fmt::format("{}: {}", *nvcc, version)
          : nvcc           ? fmt::format("{} does not run", *nvcc)
                           : "not in PATH, nor below CUDA_HOME or /usr/local/cuda",
          "'relayout cc' and 'relayout calibrate' cannot compile",
          "install the CUDA toolkit, or set CUDA_HOME to its folder"};
}

/// What CUPTI is needed for, each tried on the kernel of a child process.
std::vector<Part> cuptiParts(const InstallPaths &paths, const TemporaryFolder &folder,
                             bool hasGpu) {
  const std::string remedy =
      "what the reason says; CUPTI comes with the CUDA toolkit, and relayout "
      "must have been built where its headers are";
  struct Trial {
    gpu::CounterMode mode;
    const char *name;
    const char *rows;    ///< of the report: there is one where the part works
    const char *counted; ///< in such a row: not 0, not empty
    const char *costs;
  };
  const std::vector<Trial> trials = {
      {gpu::CounterMode::Times, "CUPTI callbacks", "kernel_times", "launch_calls",
       "what shared libraries launch may not be traced; everything else is"},
      {gpu::CounterMode::Times, "CUPTI activity", "kernel_times", "launches",
       "no measured kernel times in reports; predictions stand alone"},
      {gpu::CounterMode::Ranges, "range profiling", "kernels", "counters",
       "'profile --counters' has no sectors, DRAM bytes and operations of kernels"},
      {gpu::CounterMode::Lines, "SASS metrics", "lines", "sectors",
       "'profile --counters' has no executed loads and stores by source line"},
  };
  std::vector<Part> parts;
  std::map<gpu::CounterMode, Json> reports;
  for (const Trial &trial : trials) {
    Part part{trial.name, false, "not tried: no kernel runs", trial.costs,
              hasGpu ? remedy : "see 'GPU'"};
    if (hasGpu) {
      if (!reports.contains(trial.mode)) {
        const auto run = runUnderCounters(trialCommand(folder.file("ignored")), trial.mode,
                                          paths.libraries, folder.file(""));
        reports[trial.mode] = run ? Json::parse(run->report, nullptr, false) : Json();
      }
      const Json &report = reports[trial.mode];
      const Json rows = report.value(trial.rows, Json::array());
      part.works = !rows.empty() && !rows[0][trial.counted].empty() && rows[0][trial.counted] != 0;
      const std::string version = report.value("cupti", "");
      part.found =
          part.works ? fmt::format("tried, works (CUPTI {})", version) : "tried, reported nothing";
      for (const Json &missing : report.value("missing", Json::array()))
        part.found = fmt::format("{}{}: {}", part.works ? "works, but " : "",
                                 missing.value("part", ""), missing.value("why", ""));
      if (part.works && trial.mode == gpu::CounterMode::Ranges)
        part.found += fmt::format(", {} counters", rows[0]["counters"].size());
    }
    parts.push_back(part);
  }
  return parts;
}

/// A program with one array of structs, for the trials below.
constexpr const char *kTrialProgram = R"(struct Point { float x, y; };
__global__ void move(Point *points) { points[threadIdx.x].x = points[threadIdx.x].y; }
int main() {
  Point *points = nullptr;
  if (cudaMalloc(&points, 64 * sizeof(Point)) != cudaSuccess)
    return 1;
  move<<<1, 64>>>(points);
  return cudaDeviceSynchronize() == cudaSuccess && cudaFree(points) == cudaSuccess ? 0 : 1;
}
)";

/// Runs one of relayout's own subcommands.
/// \returns  nothing where it succeeded, else why not
std::string failureOf(std::vector<std::string> words, const TemporaryFolder &folder) {
  words.insert(words.begin(), "/proc/self/exe");
  const std::string log = folder.file("trial.log");
  const auto ran = runProcess({.command = words, .outputFile = log});
  if (!ran)
    return ran.error().text;
  if (ran->succeeded())
    return {};
  const std::string line = errorLineOf(readFile(log).value_or(""));
  return line.empty() ? ran->describe() : line;
}

/// What users do first, in the order of its steps; the first that fails is the finding.
Part trialPart(Part part, const std::vector<std::vector<std::string>> &steps,
               const TemporaryFolder &folder) {
  part.works = true;
  for (const std::vector<std::string> &step : steps)
    if (const std::string failure = failureOf(step, folder); !failure.empty()) {
      part.works = false;
      part.found = failure;
      return part;
    }
  return part;
}

/// What the machine has, for what is built on it.
struct Found {
  bool nvcc = false;
  bool gpu = false;
};

/// Builds, and runs where that can be, a program the way `optimize` and `cc` do.
std::vector<Part> buildParts(const TemporaryFolder &folder, const Found &found) {
  const std::string source = folder.file("trial.cu");
  if (const auto written = writeFile(source, kTrialProgram); !written)
    return {{"CPU build", false, written.error().text, "nothing can be built", "free some space"}};
  std::vector<Part> parts = {trialPart(
      {"CPU build", false, "compiled, linked and ran a program",
       "the CPU executor cannot build programs", "what the reason says"},
      {{"instrument", source, "-o", folder.file("traced")}, {"run", folder.file("traced")}},
      folder)};
  Part gpu{"GPU build", false,
           found.gpu ? "compiled, linked and profiled a program" : "compiled and linked a program",
           "'relayout cc' cannot build programs", "what the reason says"};
  std::vector<std::vector<std::string>> steps = {
      {"cc", "-q", "--", findNvcc().value_or("nvcc"), source, "-o", folder.file("trial")}};
  if (found.gpu)
    steps.push_back({"profile", "-o", folder.file("trial.rlt"), "--", folder.file("trial")});
  if (found.nvcc)
    parts.push_back(trialPart(gpu, steps, folder));
  return parts;
}

std::vector<Part> hostParts(const TemporaryFolder &folder, Result<InstallPaths> &paths) {
  Part executor{"CPU executor", paths.has_value(), paths ? paths->libraries : paths.error().text,
                "no traces without a GPU, no verification", "build or install relayout again"};
  const std::string version = paths ? lineOf({paths->hostCompiler, "--version"}, "", folder) : "";
  Part compiler{"C++ compiler", !version.empty(),
                !version.empty() ? fmt::format("{}: {}", paths->hostCompiler, version)
                : paths          ? fmt::format("'{}' does not run", paths->hostCompiler)
                                 : "not looked for",
                "the CPU executor cannot build programs",
                "install clang 22, or set RELAYOUT_HOST_COMPILER to a C++20 compiler"};
  return {executor, compiler};
}

void print(const std::vector<Part> &parts, bool hasGpu) {
  for (const Part &part : parts) {
    fmt::print("{:4} {:16} {}\n", part.works ? "yes" : "no", part.name, part.found);
    if (!part.works)
      fmt::print("     {:16} without it: {}\n     {:16} remedy: {}\n", "", part.costs, "",
                 part.remedy);
  }
  fmt::print("\n{}\n", hasGpu ? "This machine traces on its GPU: relayout cc, relayout profile."
                              : "This machine has no usable GPU. Everything but 'profile' and "
                                "'calibrate' works on the CPU: relayout optimize.");
}

Json toJson(const std::vector<Part> &parts) {
  Json rows = Json::array();
  for (const Part &part : parts)
    rows.push_back({{"part", part.name},
                    {"works", part.works},
                    {"found", part.found},
                    {"costs", part.works ? "" : part.costs},
                    {"remedy", part.works ? "" : part.remedy}});
  return rows;
}

int examine() {
  auto folder = TemporaryFolder::make();
  if (!folder)
    return report(folder.error());
  auto trial = tryGpuInChild();
  if (!trial)
    return report(trial.error());
  auto paths = findInstallPaths();
  const bool hasGpu = trial->failure.empty();
  std::vector<Part> parts = {driverPart(*trial), gpuPart(*trial), nvccPart(*folder)};
  const bool hasNvcc = parts.back().works;
  const auto add = [&parts](const std::vector<Part> &more) {
    parts.insert(parts.end(), more.begin(), more.end());
  };
  if (paths)
    add(cuptiParts(*paths, *folder, hasGpu));
  add(hostParts(*folder, paths));
  if (paths)
    add(buildParts(*folder, {.nvcc = hasNvcc, .gpu = hasGpu}));
  answer("gpu", hasGpu);
  answer("parts", toJson(parts));
  print(parts, hasGpu);
  return kDone;
}

} // namespace

Command registerDoctor(CLI::App &app) {
  auto trial = std::make_shared<std::string>();
  CLI::App *parser = app.add_subcommand("doctor", "Check the environment and suggest fixes");
  parser->add_option("--try", *trial)->group(""); // what its child processes do
  parser->footer("Each part is really tried. The exit code is 0 whatever is missing.");
  auto execute = [trial](const ForwardedWords &) -> int {
    if (trial->empty())
      return examine();
    auto done = runTrial(*trial);
    return done ? kDone : report(done.error());
  };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
