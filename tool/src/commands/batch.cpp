// SPDX-License-Identifier: Apache-2.0
// `relayout batch FOLDER`: every program that a batch file names, from trace to measurement.
#include "batch/batch_report.h"
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/files.h"
#include "processes/install_paths.h"
#include "processes/process.h"
#include "reports/answer.h"
#include "reports/console.h"

#include "relayout/base/run_parallel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <mutex>
#include <set>
#include <unistd.h>

namespace relayout::tool {

namespace {

struct BatchOptions {
  std::string root;
  std::vector<std::string> only;
  BatchSettings settings{.folder = "relayout-out/batch"};
  unsigned jobs = 0;
  bool again = false;
  bool cpuOnly = false;
};

/// "[######....] 23/60  sph: verify soa" on stderr, drawn over itself on a terminal; elsewhere one
/// line a program.
class BatchProgress {
public:
  explicit BatchProgress(std::size_t steps)
      : steps_(steps), terminal_(isatty(STDERR_FILENO) == 1) {}

  void begin(const std::string &program, const std::string &step) {
    const std::lock_guard lock(mutex_);
    ++done_;
    draw(fmt::format("{}: {}", program, step));
  }

  /// A program is through; steps it did not need count as done.
  void finish(const std::string &line, std::size_t reserved, std::size_t taken) {
    const std::lock_guard lock(mutex_);
    done_ += reserved - std::min(reserved, taken);
    fmt::print(stderr, "{}{}\n", terminal_ ? "\r\033[K" : "", line);
    draw("");
  }

  void end() {
    if (terminal_)
      fmt::print(stderr, "\r\033[K");
  }

private:
  void draw(const std::string &what) {
    if (!terminal_)
      return;
    constexpr std::size_t kWidth = 24;
    const std::size_t full = std::min(kWidth, done_ * kWidth / std::max<std::size_t>(steps_, 1));
    fmt::print(stderr, "\r\033[K[{}{}] {}/{}  {:.40}", std::string(full, '#'),
               std::string(kWidth - full, '.'), std::min(done_, steps_), steps_, what);
    std::fflush(stderr);
  }

  std::size_t steps_;
  std::size_t done_ = 0;
  bool terminal_;
  std::mutex mutex_;
};

std::string stateFile(const BatchSettings &settings, const std::string &program) {
  return settings.folder + "/" + program + "/result.json";
}

/// What an earlier batch left of this program, or nothing.
std::optional<BatchResult> earlier(const BatchSettings &settings, const std::string &program) {
  const std::string path = stateFile(settings, program);
  const Result<std::string> text = readFile(path);
  if (!text)
    return std::nullopt;
  Result<BatchResult> result = batchResultFrom(*text, path);
  return result ? std::optional(std::move(*result)) : std::nullopt;
}

/// "sph: nakai {…}, replay SoA": one line on how a program came out.
std::string outcomeLine(const BatchResult &result, const BatchSettings &settings) {
  if (!result.failure.empty())
    return fmt::format("{}: failed: {}", result.program, result.failure);
  std::vector<std::string> words;
  for (const BatchVariant &variant : result.variants)
    if (variant.state == VariantState::Failed || variant.state == VariantState::Refused)
      words.push_back(fmt::format("{} {}", variant.name, stateName(variant.state)));
    else if (std::ranges::find(settings.policies, variant.name) != settings.policies.end())
      words.push_back(fmt::format("{}: {}", variant.name, variant.layout));
  return fmt::format("{}: {}", result.program, fmt::join(words, "; "));
}

bool isSound(const BatchResult &result) {
  return result.failure.empty() &&
         std::ranges::none_of(result.variants, [](const BatchVariant &variant) {
           return variant.state == VariantState::Failed || variant.verifiedOnGpu == false ||
                  !variant.gpuText.empty();
         });
}

/// Whether a batch that goes on can leave a program's preparation unchanged: a step that failed may
/// succeed with more time.
bool isPrepared(const BatchResult &result) {
  return result.failure.empty() &&
         std::ranges::none_of(result.variants, [](const BatchVariant &variant) {
           return variant.state == VariantState::Failed;
         });
}

class Batch {
public:
  Batch(const BatchOptions &options, const InstallPaths &paths, std::vector<BatchProgram> programs)
      : options_(options), settings_(options.settings), programs_(std::move(programs)),
        results_(programs_.size()) {
    settings_.headers = paths.headers();
    if (options.cpuOnly)
      whyNoGpu_ = "--cpu was given";
    else if (auto found = findGpuMachine())
      machine_ = std::move(*found);
    else
      whyNoGpu_ = found.error().text;
    settings_.traceOnGpu = machine_.has_value();
  }

  int run() {
    std::vector<std::size_t> steps;
    std::size_t all = 0;
    for (const BatchProgram &program : programs_) {
      steps.push_back(preparationSteps(program, settings_));
      all += steps.back() + (machine_ ? measurementSteps(settings_) : 0);
    }
    BatchProgress progress(all);
    prepareAll(steps, progress);
    if (machine_)
      measureAll(progress);
    progress.end();
    return writeReports();
  }

private:
  /// Nothing is timed here, so programs may run side by side.
  void prepareAll(const std::vector<std::size_t> &steps, BatchProgress &progress) {
    runParallel(programs_.size(), options_.jobs,
                [&](std::size_t i) { prepare(i, steps[i], progress); });
  }

  void prepare(std::size_t index, std::size_t steps, BatchProgress &progress) {
    const BatchProgram &program = programs_[index];
    std::optional<BatchResult> old =
        options_.again ? std::nullopt : earlier(settings_, program.name);
    if (old && isPrepared(*old) && old->preparedFrom == preparationDigest(program, settings_)) {
      results_[index] = std::move(*old);
      progress.finish(outcomeLine(results_[index], settings_) + " (from an earlier run)", steps, 0);
      return;
    }
    std::size_t taken = 0;
    results_[index] = prepareProgram(program, settings_, [&](const std::string &step) {
      ++taken;
      progress.begin(program.name, step);
    });
    save(results_[index]);
    progress.finish(outcomeLine(results_[index], settings_), steps, taken);
  }

  /// One program after the other, so that nothing else runs while one is timed.
  void measureAll(BatchProgress &progress) {
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      BatchResult &result = results_[i];
      const std::size_t steps = measurementSteps(settings_);
      if (!result.failure.empty()) {
        progress.finish(fmt::format("{}: not measured", result.program), steps, 0);
        continue;
      }
      if (!options_.again &&
          result.measuredOn == measurementDigest(programs_[i], result, settings_, *machine_)) {
        progress.finish(fmt::format("{}: measured by an earlier run", result.program), steps, 0);
        continue;
      }
      std::size_t taken = 0;
      measureProgram(programs_[i], settings_, *machine_, options_.jobs, result,
                     [&](const std::string &step) {
                       ++taken;
                       progress.begin(result.program, step);
                     });
      save(result);
      progress.finish(fmt::format("{}: measured", result.program), steps, taken);
    }
  }

  void save(const BatchResult &result) {
    const Result<void> written = writeFile(
        stateFile(settings_, result.program),
        toJson(result).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    if (!written) {
      const std::lock_guard lock(failureMutex_);
      failure_ = written.error();
    }
  }

  int writeReports() {
    const BatchReport report{results_, settings_, machine_, whyNoGpu_};
    const std::string folder = settings_.folder;
    const std::string markdown = batchMarkdown(report);
    for (const auto &[name, text] :
         {std::pair<std::string, std::string>{"results.json", batchJson(report)},
          {"results.md", markdown}})
      if (auto written = writeFile(fmt::format("{}/{}", folder, name), text); !written)
        failure_ = written.error();
    if (const std::optional<std::string> chart = speedupChart(report))
      writeChart(folder, *chart);
    answer("folder", folder);
    answer("results", nlohmann::ordered_json::parse(batchJson(report)));
    fmt::print("{}\n", markdown);
    fmt::print("results: {0}/results.json, {0}/results.md\n", folder);
    if (failure_)
      return tool::report(*failure_);
    return std::ranges::all_of(results_, isSound) ? kDone : kFailed;
  }

  /// The specification, and a picture where Vega's command-line tool is installed.
  void writeChart(const std::string &folder, const std::string &chart) {
    const std::string file = folder + "/speedup.vl.json";
    if (auto written = writeFile(file, chart); !written) {
      failure_ = written.error();
      return;
    }
    const Result<ProcessResult> drawn =
        runProcess({{"vl2svg", file, folder + "/speedup.svg"}, {}, folder + "/vl2svg.txt"});
    if (drawn && drawn->succeeded())
      fmt::print("picture: {}/speedup.svg\n", folder);
    else
      fmt::print("picture: {} is a Vega-Lite chart; with npm's vega-lite and vega-cli installed, "
                 "'vl2svg' draws it\n",
                 file);
  }

  const BatchOptions &options_;
  BatchSettings settings_;
  std::vector<BatchProgram> programs_;
  std::vector<BatchResult> results_;
  std::optional<GpuMachine> machine_;
  std::string whyNoGpu_;
  std::optional<Error> failure_;
  std::mutex failureMutex_;
};

int batch(const BatchOptions &options) {
  Result<std::vector<BatchProgram>> programs = findBatchPrograms(options.root);
  if (!programs)
    return report(programs.error());
  if (!options.only.empty()) {
    std::set<std::string> wanted(options.only.begin(), options.only.end());
    for (const BatchProgram &program : *programs)
      wanted.erase(program.name);
    if (!wanted.empty())
      return report(
          Error{Code::UnknownProgramName,
                fmt::format("there is no program '{}' in '{}'", *wanted.begin(), options.root),
                {},
                {}});
    std::erase_if(*programs, [&options](const BatchProgram &program) {
      return std::ranges::find(options.only, program.name) == options.only.end();
    });
  }
  const auto paths = findInstallPaths();
  if (!paths)
    return report(paths.error());
  if (const auto machine = findMachineFile(options.settings.machine); !machine)
    return report(machine.error());
  sayWhenInterrupted("\nrelayout: interrupted; the same command goes on with what is left\n");
  return Batch(options, *paths, std::move(*programs)).run();
}

} // namespace

Command registerBatch(CLI::App &app) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App *parser = app.add_subcommand(
      "batch", "Trace, decide, rewrite, verify and, with a GPU, measure many programs");
  parser->add_option("folder", options->root, "Folder with batch.json files in it or below")
      ->required()
      ->check(CLI::ExistingDirectory);
  parser->add_option("-o,--out", options->settings.folder, "Folder for all results")
      ->capture_default_str();
  parser->add_option("--only", options->only, "Only these programs");
  parser->add_option("--policy", options->settings.policies, "Policies to compare")
      ->check(CLI::IsMember({"nakai", "replay"}))
      ->capture_default_str();
  parser
      ->add_option("--machine", options->settings.machine,
                   "GPU that policy replay predicts for: a machine file, or one of " +
                       machineNames())
      ->capture_default_str();
  parser->add_option("--runs", options->settings.runs, "Timed runs of each variant on the GPU")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  parser
      ->add_option_function<unsigned>(
          "--limit",
          [options](unsigned seconds) { options->settings.limit = std::chrono::seconds(seconds); },
          "Seconds after which a step, or a program's run, is ended; 0: never [600]")
      ->type_name("SECONDS");
  parser->add_option("-j,--jobs", options->jobs, "Programs at a time, and compilers [all cores]");
  parser->add_flag("--again", options->again, "Start over instead of resuming");
  parser->add_flag("--cpu", options->cpuOnly, "Leave a GPU alone");
  parser->footer(
      "A program that fails does not stop the others. What an earlier run finished is kept\n"
      "unless its sources, arguments or relayout itself changed. docs/batch.md has the "
      "format.");
  auto execute = [options](const ForwardedWords &) { return batch(*options); };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
