// SPDX-License-Identifier: Apache-2.0
// How fast policy replay is, how much memory it takes, and that both follow the trace's size.
#include "../analysis/replay_cases.h"
#include "relayout/analysis/replay/replay.h"
#include "relayout/analysis/replay/sm/trace_replay.h"
#include "relayout/base/run_parallel.h"
#include "relayout/trace/reader.h"
#include "relayout/trace/writer.h"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace relayout::analysis {
namespace {

using Warp = SyntheticProgram::Warp;

Machine h100() {
  std::ifstream file(RELAYOUT_MACHINES "/h100.json");
  std::stringstream text;
  text << file.rdbuf();
  return machineFromJson(text.str()).value();
}

double peakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// Warps that read `fields` fields of elements in a loop: of consecutive elements, or of
/// scattered ones.
SyntheticProgram neighbours(std::uint64_t steps, bool scattered, std::uint32_t fields = 8) {
  SyntheticProgram program;
  std::vector<std::string> names;
  for (std::uint32_t f = 0; f < fields; ++f)
    names.push_back("f" + std::to_string(f));
  const trace::Index record = program.floats(names);
  const std::uint32_t records = program.array(1u << 24, fields * 4);
  std::vector<trace::Index> sites;
  for (trace::Index f = 0; f < fields; ++f)
    sites.push_back(program.site(record, f));
  program.kernel("neighbours", 1u << 22, 1, [=](Warp &warp) {
    for (std::uint64_t step = 0; step < steps; ++step)
      for (std::size_t f = 0; f < sites.size(); ++f)
        // Half of the fields are used together, the others now and then.
        if (f < sites.size() / 2 || step % (f + 1) == 0)
          warp.touch(sites[f], records, [&](unsigned lane) -> std::uint64_t {
            const std::uint64_t thread = warp.thread(lane);
            return scattered
                       ? benchHash(static_cast<std::uint32_t>(thread * 31 + step)) % (1u << 24)
                       : (thread + step * 37) % (1u << 24);
          });
  });
  return program;
}

std::uint64_t recordedOf(const SyntheticProgram &program) {
  std::uint64_t recorded = 0;
  for (const trace::SiteCount &row : program.trace().counts)
    recorded += row.recorded;
  return recorded;
}

/// A trace file with the program's accesses.
void write(const SyntheticProgram &program, const std::string &path) {
  trace::Writer writer = trace::Writer::create(path).value();
  writer.sites(toJson(program.trace().sites));
  for (const trace::Allocation &allocation : program.trace().allocations)
    writer.allocation(allocation);
  for (const trace::Launch &launch : program.trace().launches)
    writer.launch(launch);
  (void)program.source()([&](const trace::WarpAccess &access) { return writer.access(access); });
  if (!writer.close(program.trace().kernels, program.trace().counts, {}, 1, 1, 1))
    std::abort();
}

/// A trace file from its first byte to the counts of one candidate.
void replayOneCandidate(benchmark::State &state, bool scattered) {
  const SyntheticProgram program =
      neighbours(static_cast<std::uint64_t>(state.range(0)), scattered);
  const std::string path = "replay_bench.trace";
  write(program, path);
  const Layout layout = soa(layoutFields(program.trace().sites.records[0]));
  for ([[maybe_unused]] auto _ : state) {
    const trace::Trace trace = trace::readTrace(path).value();
    const auto counts = replayTrace(
        trace, [&](const auto &callback) { return trace::forEachAccess(path, callback); },
        {&layout}, h100(), 2);
    benchmark::DoNotOptimize(counts.value()[0].warpAccesses);
  }
  std::remove(path.c_str());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(recordedOf(program)));
  state.SetComplexityN(state.range(0));
  state.counters["accesses"] = static_cast<double>(recordedOf(program));
  state.counters["peak_bytes"] = peakBytes();
}

/// The same without the file: what a candidate costs once its stream is in memory.
void replayInMemory(benchmark::State &state, bool scattered) {
  const SyntheticProgram program = neighbours(256, scattered);
  const Machine machine = h100();
  const ReplaySample sample =
      collectSample(program.trace(), program.source(), machine, {.maxBundles = 4'000'000}).value();
  const Layout layout = soa(layoutFields(program.trace().sites.records[0]));
  std::uint64_t accesses = 0;
  for (const Wave &wave : sample.kernels[0].waves)
    accesses += wave.warpAccesses;
  for ([[maybe_unused]] auto _ : state)
    runParallel(2, 2, [&](std::size_t) {
      benchmark::DoNotOptimize(
          evaluateKernel(program.trace(), sample, sample.kernels[0], {&layout}, machine)
              ->time.totalNs);
    });
  state.SetItemsProcessed(2 * state.iterations() * static_cast<std::int64_t>(accesses));
}

void searchRecord(benchmark::State &state) {
  const SyntheticProgram program =
      neighbours(256, true, static_cast<std::uint32_t>(state.range(0)));
  std::size_t candidates = 0;
  for ([[maybe_unused]] auto _ : state) {
    ReplayOptions options;
    options.threads = 2;
    const ReplayAnalysis analysis =
        analyzeReplay({program.trace(), program.source()}, h100(), options).value();
    candidates = analysis.groups[0].candidates.size();
  }
  state.counters["candidates"] = static_cast<double>(candidates);
  state.counters["peak_bytes"] = peakBytes();
}

void streamed(benchmark::State &state) { replayOneCandidate(state, false); }
void scattered(benchmark::State &state) { replayOneCandidate(state, true); }
void streamedInMemory(benchmark::State &state) { replayInMemory(state, false); }
void scatteredInMemory(benchmark::State &state) { replayInMemory(state, true); }

BENCHMARK(streamedInMemory)->Unit(benchmark::kSecond)->UseRealTime();
BENCHMARK(scatteredInMemory)->Unit(benchmark::kSecond)->UseRealTime();
BENCHMARK(searchRecord)
    ->Arg(8)
    ->Arg(12)
    ->Arg(64)
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
// 256 warps: 64 steps are 0.09 million accesses.
BENCHMARK(streamed)
    ->Arg(1 << 10)
    ->Arg(1 << 12)
    ->Arg(1 << 14)
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->MeasureProcessCPUTime() // of all threads, which a busy machine changes less than the real one
    ->UseRealTime()
    ->Complexity(benchmark::oN);
BENCHMARK(scattered)
    ->Arg(1 << 10)
    ->Arg(1 << 12)
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->MeasureProcessCPUTime() // of all threads, which a busy machine changes less than the real one
    ->UseRealTime()
    ->Complexity(benchmark::oN);

} // namespace
} // namespace relayout::analysis

BENCHMARK_MAIN();
