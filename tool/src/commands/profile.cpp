// SPDX-License-Identifier: Apache-2.0
// `relayout profile -- PROGRAM ARGS`: runs a program that `relayout cc` built on the GPU and keeps
// its trace.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/counter_runs.h"
#include "processes/gpu_trial.h"
#include "processes/watchdog.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "stages/gpu_runs.h"
#include "stages/stages.h"

#include "relayout/trace/reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  std::string trace = "trace.rlt";
  TraceOptions tracing;
  bool counters = false;
  std::string original;
};

/// A run's trace and the report beside it, which replace an earlier run's once they are known to be
/// of use.
class PendingTrace {
public:
  /// The program may change its folder before it writes.
  explicit PendingTrace(const std::string &trace)
      : final_(fs::absolute(trace).string()), pending_(final_ + ".pending"), watched_(pending_),
        watchedReport_(trace::reportBeside(pending_)) {
    remove();
  }
  PendingTrace(const PendingTrace &) = delete;
  PendingTrace &operator=(const PendingTrace &) = delete;
  ~PendingTrace() { remove(); }

  [[nodiscard]] const std::string &file() const { return pending_; }
  [[nodiscard]] std::string report() const { return trace::reportBeside(pending_); }
  [[nodiscard]] bool exists() const { return fs::exists(pending_); }

  /// \error RL-F02 the files cannot be renamed
  [[nodiscard]] Result<void> keep() const {
    for (const auto &[from, to] :
         {std::pair(pending_, final_), std::pair(report(), trace::reportBeside(final_))}) {
      std::error_code status;
      if (fs::exists(from))
        fs::rename(from, to, status);
      else
        fs::remove(to, status); // of an earlier run
      if (status)
        return fail(Code::FileUnwritable,
                    fmt::format("cannot write '{}': {}", to, status.message()));
    }
    return {};
  }

private:
  void remove() const {
    std::error_code ignored;
    fs::remove(pending_, ignored);
    fs::remove(report(), ignored);
  }

  std::string final_;
  std::string pending_;
  WatchedPath watched_;
  WatchedPath watchedReport_;
};

/// Why a run left nothing to analyse: no GPU explains it, where there is none.
Error withoutGpu(Error error) {
  if (const auto trial = tryGpuInChild(); trial && !trial->failure.empty())
    error.notes.push_back({{},
                           fmt::format("this machine has no usable GPU: {}; 'relayout doctor' "
                                       "says more",
                                       trial->failure)});
  return error;
}

Result<void> countOn(const std::vector<std::string> &command, const ProfileOptions &options,
                     const PendingTrace &pending) {
  std::vector<std::string> counted = command;
  if (!options.original.empty())
    counted.front() = options.original;
  if (auto added = addCounters(counted, pending.report()); !added)
    return added;
  fmt::print(stderr, "{}.gpu.json: hardware counters of '{}'\n", options.trace, counted.front());
  return {};
}

int profile(const ProfileOptions &options, const std::vector<std::string> &command) {
  if (command.empty())
    return report(Error{Code::InvalidCommandLine,
                        "no program after --; got none, needed one that 'relayout cc' built",
                        {},
                        {}});
  const PendingTrace pending(options.trace);
  if (auto run = runProbed(command, pending.file(), options.tracing, {}); !run)
    return report(withoutGpu(run.error()));
  if (options.counters)
    if (auto counted = countOn(command, options, pending); !counted)
      return report(counted.error());
  if (!pending.exists() && options.counters) { // a program without probes has counters too
    auto kept = pending.keep();
    return kept ? kDone : report(kept.error());
  }
  if (!pending.exists())
    return report(withoutGpu(Error{Code::NoTraceWritten,
                                   "the program wrote no trace; got a program without probes, "
                                   "needed one built with 'relayout cc -- nvcc'",
                                   {},
                                   {}}));
  auto trace = readUsableTrace(pending.file());
  if (!trace) {
    if (trace.error().code == Code::NothingLaunched)
      trace.error().text = "the program launched no kernel with probes";
    return report(withoutGpu(trace.error()));
  }
  if (options.counters)
    if (auto added = addSiteInstructions(**trace, pending.file()); !added)
      return report(added.error());
  if (auto kept = pending.keep(); !kept)
    return report(kept.error());
  fmt::print(stderr, "{}\n{}", describeTrace(**trace, options.trace),
             describeLineCounters(**trace, options.trace));
  answer("trace", options.trace);
  answer("complete", (*trace)->complete);
  return (*trace)->complete ? kDone : kIncomplete;
}

} // namespace

Command registerProfile(CLI::App &app) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App *parser = app.add_subcommand(
      "profile", "Run a program built by 'relayout cc' on the GPU and write its trace");
  parser->add_option("-o,--out", options->trace, "Trace file")->capture_default_str();
  parser
      ->add_option("--trace", options->tracing.mode,
                   "Addresses to record: full, sampled, counts, or sm[:N], all blocks of one "
                   "multiprocessor")
      ->capture_default_str();
  parser->add_option("--sample-blocks", options->tracing.sampleBlocks,
                     "Blocks to sample in each launch [32]");
  addSize(*parser, "--max-bytes", options->tracing.maxBytes,
          "Limit for address records; what exceeds it is counted as dropped [128MiB]");
  parser->add_flag("--counters", options->counters,
                   "Run again, untraced, for hardware counters and kernel times (FILE.gpu.json)");
  parser
      ->add_option("--original", options->original,
                   "Take the counters of this program, compiled without probes, instead")
      ->needs("--counters");
  parser->footer("Words after -- are the program and its arguments. An earlier trace is replaced\n"
                 "only by one in which a kernel ran.");
  auto execute = [options](const ForwardedWords &words) {
    return profile(*options, words.programArguments);
  };
  return {parser, false, true, execute};
}

} // namespace relayout::tool
