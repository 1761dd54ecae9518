// SPDX-License-Identifier: Apache-2.0
// `relayout profile -- PROGRAM ARGS`: runs a program that `relayout cc` built, for its trace from
// the GPU.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/counter_runs.h"
#include "processes/process.h"
#include "reports/console.h"
#include "stages/stages.h"

#include "relayout/trace/reader.h"

#include <fmt/format.h>

#include <filesystem>

namespace relayout::tool {

Command registerProfile(CLI::App &app) {
  struct Options {
    std::string trace = "trace.rlt";
    std::string mode = "sampled";
    unsigned sampleBlocks = 0;
    unsigned long long maxBytes = 0;
    bool counters = false;
    std::string original;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand(
      "profile", "Run a program built by 'relayout cc' on the GPU, for its trace");
  parser->add_option("-o,--out", options->trace, "Trace file")->capture_default_str();
  parser
      ->add_option("--trace", options->mode,
                   "Addresses to record: full, sampled, counts, or sm[:N], all blocks of one "
                   "multiprocessor")
      ->capture_default_str();
  parser->add_option("--sample-blocks", options->sampleBlocks, "Blocks recorded of a launch [32]");
  parser->add_option("--max-bytes", options->maxBytes, "Most bytes of address records [128 MiB]");
  parser->add_flag("--counters", options->counters,
                   "Run again, untraced, for hardware counters and kernel times (FILE.gpu.json)");
  parser
      ->add_option("--original", options->original,
                   "Take the counters of this program, compiled without probes, instead")
      ->needs("--counters");
  parser->footer("Words after -- are the program and its arguments.");
  auto execute = [options](const ForwardedWords &words) -> int {
    if (words.programArguments.empty())
      return report(Error{Code::InvalidCommandLine,
                          "no program after --; got none, needed one that 'relayout cc' built",
                          {},
                          {}});
    ProcessRequest request{words.programArguments, {}, {}};
    // The program may change its folder before it writes.
    request.environment["RELAYOUT_TRACE"] = std::filesystem::absolute(options->trace).string();
    request.environment["RELAYOUT_TRACE_MODE"] = options->mode;
    if (options->sampleBlocks != 0)
      request.environment["RELAYOUT_SAMPLE_BLOCKS"] = std::to_string(options->sampleBlocks);
    if (options->maxBytes != 0)
      request.environment["RELAYOUT_MAX_BYTES"] = std::to_string(options->maxBytes);
    std::error_code ignored;
    std::filesystem::remove(options->trace, ignored);
    std::filesystem::remove(trace::reportBeside(options->trace), ignored);
    auto run = runProcess(request);
    if (!run)
      return report(run.error());
    if (!run->succeeded())
      return report(Error{
          Code::ProgramFailed, fmt::format("the program ended with {}", run->describe()), {}, {}});
    if (options->counters) {
      std::vector<std::string> counted = words.programArguments;
      if (!options->original.empty())
        counted.front() = options->original;
      if (auto added = addCounters(counted, trace::reportBeside(options->trace)); !added)
        return report(added.error());
      fmt::print(stderr, "{}.gpu.json: hardware counters of '{}'\n", options->trace,
                 counted.front());
      // A program without probes has counters too.
      if (!std::filesystem::exists(options->trace))
        return kDone;
    }
    if (!std::filesystem::exists(options->trace))
      return report(Error{Code::NoTraceWritten,
                          "the program wrote no trace; got a program without probes, needed one "
                          "built with 'relayout cc -- nvcc'",
                          {},
                          {}});
    auto trace = trace::readTrace(options->trace);
    if (!trace)
      return report(trace.error());
    if (options->counters)
      if (auto added = addSiteInstructions(*trace, options->trace); !added)
        return report(added.error());
    fmt::print(stderr, "{}\n{}", describeTrace(*trace, options->trace),
               describeLineCounters(*trace, options->trace));
    return trace->complete ? kDone : kIncomplete;
  };
  return {parser, false, true, execute};
}

} // namespace relayout::tool
