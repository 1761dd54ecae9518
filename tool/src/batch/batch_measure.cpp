// SPDX-License-Identifier: Apache-2.0
// Builds and times the variants of one program on the GPU.
#include "batch/batch_measure.h"

#include "processes/files.h"
#include "processes/install_paths.h"
#include "processes/nvcc.h"
#include "processes/process.h"

#define XXH_INLINE_ALL
#include "relayout/base/run_parallel.h"
#include "relayout/instrument/included_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

class Measurement {
public:
  Measurement(const BatchProgram &program, const BatchSettings &settings,
              const std::string &compiler, unsigned builders, BatchResult &result,
              const StepSink &step)
      : program_(program), settings_(settings), compiler_(compiler), builders_(builders),
        result_(result), step_(step), folder_(fs::path(settings.folder) / program.name / "gpu") {}

  /// \returns  whether all that was built and run ended well; with more time, what did not may
  bool run() {
    std::error_code status;
    fs::remove_all(folder_, status);
    fs::create_directories(folder_, status);
    for (BatchVariant &variant : result_.variants) {
      variant.verifiedOnGpu.reset();
      variant.figures.clear();
      variant.gpuText.clear();
      if (!variant.source.empty() && variant.sameAs.empty())
        variants_.push_back(&variant);
    }
    step_("build for the GPU");
    build();
    step_("verify on the GPU");
    verify();
    for (unsigned round = 0; round <= settings_.runs; ++round) {
      step_(round == 0 ? "warm up" : fmt::format("run {} of {}", round, settings_.runs));
      std::map<std::string, std::optional<std::string>> outputs; // of hand-tuned programs
      for (BatchVariant *variant : variants_) {
        if (!isHandTuned(*variant)) {
          note(*variant, runOnce(*variant), round != 0);
          continue;
        }
        const auto [output, isFirst] = outputs.emplace(binary(*variant, false), std::nullopt);
        if (isFirst)
          output->second = runOnce(*variant);
        note(*variant, output->second, round != 0);
      }
    }
    return endedWell_;
  }

private:
  struct Build {
    BatchVariant *variant;
    bool sharedRuntime;
  };

  /// Variants of one hand-tuned program are one binary.
  [[nodiscard]] std::string binary(const BatchVariant &variant, bool sharedRuntime) const {
    const std::string name =
        isHandTuned(variant)
            ? "hand-tuned-" + std::to_string(&handTuned(variant) - program_.handTuned.data())
            : variant.name;
    return (folder_ / (name + (sharedRuntime ? ".shared" : ""))).string();
  }

  [[nodiscard]] static bool isHandTuned(const BatchVariant &variant) {
    return variant.state == VariantState::HandTuned;
  }

  [[nodiscard]] const HandTuned &handTuned(const BatchVariant &variant) const {
    return *std::ranges::find_if(program_.handTuned, [&variant](const HandTuned &tuned) {
      return tuned.figures.contains(variant.name);
    });
  }

  [[nodiscard]] const std::vector<std::string> &arguments(const BatchVariant &variant) const {
    return isHandTuned(variant) ? handTuned(variant).arguments : program_.large;
  }

  /// Every variant with the static CUDA runtime, as users build, and those to verify with the
  /// shared one as well, through which copies can be seen.
  void build() {
    std::vector<Build> jobs;
    std::map<std::string, std::string> failures; // by binary
    for (BatchVariant *variant : variants_)
      for (const bool sharedRuntime : {false, true})
        if (!(sharedRuntime && isHandTuned(*variant)) &&
            failures.emplace(binary(*variant, sharedRuntime), "").second)
          jobs.push_back({variant, sharedRuntime});
    runParallel(jobs.size(), builders_, [&](std::size_t i) {
      failures.at(binary(*jobs[i].variant, jobs[i].sharedRuntime)) =
          compile(*jobs[i].variant, jobs[i].sharedRuntime);
    });
    for (BatchVariant *variant : variants_)
      for (const bool sharedRuntime : {false, true})
        if (const auto failure = failures.find(binary(*variant, sharedRuntime));
            failure != failures.end() && !failure->second.empty()) {
          variant->gpuText = failure->second;
          endedWell_ = false;
        }
    std::erase_if(variants_, [](const BatchVariant *variant) { return !variant->gpuText.empty(); });
  }

  /// \returns  why it failed, or nothing
  [[nodiscard]] std::string compile(const BatchVariant &variant, bool sharedRuntime) const {
    GpuBuild build{
        program_.flags, {}, binary(variant, sharedRuntime), sharedRuntime, settings_.limit};
    if (isHandTuned(variant))
      build.sources = {variant.source};
    else
      for (const std::string &source : program_.sources)
        build.sources.push_back(fileOfVariant(program_, variant, source));
    const auto built = buildWithNvcc(compiler_, build);
    return built ? std::string() : built.error().text;
  }

  /// One run with every copy noted; nothing when it failed.
  [[nodiscard]] std::optional<std::string> copiesOf(BatchVariant &variant,
                                                    const std::string &name) {
    const std::string log = (folder_ / (name + ".copies")).string();
    ProcessRequest request;
    request.command = {fs::absolute(binary(variant, true)).string()};
    request.command.insert(request.command.end(), program_.large.begin(), program_.large.end());
    request.environment = {{"LD_PRELOAD", copiesLibrary_}, {"RELAYOUT_COPIES", log}};
    request.outputFile = (folder_ / (name + ".verify.txt")).string();
    request.limit = settings_.limit;
    const Result<ProcessResult> result = runProcess(request);
    if (!result || !result->succeeded()) {
      endedWell_ = false;
      variant.gpuText =
          fmt::format("its run: {}; '{}' has its output",
                      result ? result->describe() : result.error().text, request.outputFile);
      return std::nullopt;
    }
    const Result<std::string> text = readFile(log);
    if (!text || text->empty()) {
      variant.gpuText = "no device-to-host copy was seen";
      return std::nullopt;
    }
    return *text;
  }

  void verify() {
    const Result<InstallPaths> paths = findInstallPaths();
    copiesLibrary_ =
        paths ? fs::absolute(fs::path(paths->libraries) / "librelayout_copies.so").string()
              : std::string();
    const auto original =
        std::ranges::find(variants_, std::string("original"), &BatchVariant::name);
    if (original == variants_.end())
      return;
    const std::optional<std::string> expected = copiesOf(**original, "original");
    const std::optional<std::string> again =
        expected ? copiesOf(**original, "original-again") : std::nullopt;
    for (BatchVariant *variant : variants_) {
      if (isHandTuned(*variant) || !expected || !again)
        continue;
      if (*expected != *again) {
        variant->gpuText = "not compared: the original differs from itself from run to run";
        continue;
      }
      if (variant == *original)
        continue;
      if (const std::optional<std::string> copies = copiesOf(*variant, variant->name)) {
        variant->verifiedOnGpu = *copies == *expected;
        if (!*variant->verifiedOnGpu)
          variant->gpuText = "copies back other bytes than the original";
      }
    }
  }

  [[nodiscard]] std::string outputFile(const BatchVariant &variant) const {
    return binary(variant, false) + ".output.txt";
  }

  /// What a run prints; nothing when it fails, and it is not run again then.
  [[nodiscard]] std::optional<std::string> runOnce(const BatchVariant &variant) {
    if (variant.verifiedOnGpu == false || failures_.contains(binary(variant, false)))
      return std::nullopt; // how fast a wrong program is does not matter
    std::vector<std::string> command = {fs::absolute(binary(variant, false)).string()};
    command.insert(command.end(), arguments(variant).begin(), arguments(variant).end());
    // Without eager loading the first launch of each kernel is timed with its loading.
    const Result<ProcessResult> result = runProcess(
        {command, {{"CUDA_MODULE_LOADING", "EAGER"}}, outputFile(variant), settings_.limit});
    if (!result || !result->succeeded()) {
      endedWell_ = false;
      failures_[binary(variant, false)] =
          fmt::format("its run: {}; '{}' has its output",
                      result ? result->describe() : result.error().text, outputFile(variant));
      return std::nullopt;
    }
    const Result<std::string> text = readFile(outputFile(variant));
    return text ? std::optional(*text) : std::nullopt;
  }

  void note(BatchVariant &variant, const std::optional<std::string> &output, bool counts) {
    if (variant.verifiedOnGpu == false)
      return;
    if (!output) {
      variant.gpuText = failures_[binary(variant, false)];
      return;
    }
    const std::optional<double> figure =
        figureIn(*output, isHandTuned(variant) ? handTuned(variant).figures.at(variant.name)
                                               : program_.figure);
    if (!figure)
      variant.gpuText =
          fmt::format("its output has no figure of merit; see '{}'", outputFile(variant));
    else if (counts)
      variant.figures.push_back(*figure);
  }

  const BatchProgram &program_;
  const BatchSettings &settings_;
  const std::string &compiler_;
  unsigned builders_;
  BatchResult &result_;
  const StepSink &step_;
  fs::path folder_;
  std::string copiesLibrary_;
  std::vector<BatchVariant *> variants_;        ///< those that are built
  std::map<std::string, std::string> failures_; ///< of timed runs, by binary
  bool endedWell_ = true;
};

} // namespace

std::string measurementDigest(const BatchProgram &program, const BatchResult &result,
                              const BatchSettings &settings, const GpuMachine &machine) {
  std::string text =
      fmt::format("{}|{}|{}|{}|{}|{}|{}", result.preparedFrom, machine.gpu, machine.driver,
                  machine.nvcc, settings.runs, fmt::join(program.large, "\x1f"), program.figure);
  for (const HandTuned &tuned : program.handTuned) {
    text +=
        fmt::format("|{}|{}", fmt::join(tuned.arguments, "\x1f"), fmt::join(tuned.figures, "\x1f"));
    for (const instrument::CompileCommand &unit :
         instrument::programOf({tuned.source}, program.flags, settings.headers).units)
      for (const fs::path &file : instrument::includedFiles(unit))
        text += "|" + readFile(file.string()).value_or("");
  }
  const XXH128_hash_t value = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

void measureProgram(const BatchProgram &program, const BatchSettings &settings,
                    const GpuMachine &machine, unsigned builders, BatchResult &result,
                    const StepSink &step) {
  const bool done = Measurement(program, settings, machine.compiler, builders, result, step).run();
  result.measuredOn = done ? measurementDigest(program, result, settings, machine) : "";
}

std::size_t measurementSteps(const BatchSettings &settings) { return 3 + settings.runs; }

std::optional<double> figureIn(const std::string &output, const std::string &pattern) {
  std::smatch match;
  if (!std::regex_search(output, match, std::regex(pattern)))
    return std::nullopt;
  const std::string number = match[1];
  double value = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != number.data() + number.size())
    return std::nullopt;
  return value;
}

} // namespace relayout::tool
