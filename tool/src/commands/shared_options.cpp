// SPDX-License-Identifier: Apache-2.0
// Options and lines that several subcommands have in common.
#include "commands/shared_options.h"

#include "commands/commands.h"
#include "processes/work_folder.h"
#include "reports/grouped.h"

#include <fmt/format.h>

namespace relayout::tool {

void addAllAccesses(CLI::App &parser, bool &allAccesses) {
  parser.add_flag("--all-accesses", allAccesses,
                  "Trace accesses to all global memory, not only to records: slower, and "
                  "predictions know what shares the caches");
}

void addSize(CLI::App &parser, const std::string &name, unsigned long long &bytes,
             const std::string &description) {
  parser.add_option(name, bytes, description)
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/true))
      ->type_name("SIZE");
}

void addTraceOptions(CLI::App &parser, TraceOptions &options) {
  parser
      .add_option("--trace", options.mode,
                  "Addresses to record: full, sampled (some blocks) or counts (none)")
      ->check(CLI::IsMember({"full", "sampled", "counts"}))
      ->capture_default_str();
  parser.add_option("--sample-blocks", options.sampleBlocks, "Blocks to sample a launch [32]");
  addSize(parser, "--max-bytes", options.maxBytes,
          "Limit for address records; what exceeds it is counted as dropped [64MiB]");
  parser.add_option("--workers", options.workers, "CPU threads that run blocks [all cores]");
}

void addWorkFolder(CLI::App &parser) {
  parser
      .add_option_function<std::string>(
          "--workdir", runProgramsIn,
          "Folder in which the program runs, each time it is run [the current one]")
      ->check(CLI::ExistingDirectory);
}

void addPlace(CLI::App &parser, std::string &place, const std::vector<std::string> &places) {
  parser
      .add_option(
          "--on", place,
          places.front() == "auto"
              ? "Where the program runs; auto: on this machine's GPU where there is one, and nvcc"
              : "Where the programs run; gpu needs nvcc as well")
      ->check(CLI::IsMember(places))
      ->capture_default_str();
}

Error needsGpu(Error error) {
  error.text = "--on gpu needs an NVIDIA GPU and nvcc: " + error.text;
  error.notes.push_back({{},
                         "'--on cpu' runs the program on the CPU instead; 'relayout doctor' checks "
                         "the environment"});
  return error;
}

std::string describeTrace(const trace::Trace &trace, const std::string &file) {
  std::uint64_t executed = 0, recorded = 0, dropped = 0;
  for (const trace::SiteCount &row : trace.counts) {
    executed += row.warpAccesses;
    recorded += row.recorded;
    dropped += row.dropped;
  }
  const auto counted = [](std::uint64_t number, const char *one, const char *many) {
    return fmt::format("{} {}", grouped(number), number == 1 ? one : many);
  };
  return fmt::format("{}: {} of {}, {} warp accesses executed = {} recorded + {} "
                     "dropped ({} of {} blocks sampled){}",
                     file, counted(trace.launchesExecuted, "launch", "launches"),
                     counted(trace.kernels.size(), "kernel", "kernels"), grouped(executed),
                     grouped(recorded), grouped(dropped), grouped(trace.blocksSampled),
                     grouped(trace.blocksExecuted),
                     trace.complete ? "" : "; INCOMPLETE: the program did not end in order");
}

} // namespace relayout::tool
