// SPDX-License-Identifier: Apache-2.0
// Prints the L1 sectors that the accesses of a full trace touch, as JSON, for tests/gpu/sectors.py:
//   trace_sectors TRACE.rlt MACHINE.json
// By kernel as policy replay counts them under the source's own layout; by source line from the
// recorded addresses alone, one access at a time.
#include "relayout/analysis/replay/cost/evaluation.h"
#include "relayout/analysis/replay/memory/atomic_sectors.h"
#include "relayout/analysis/replay/sm/trace_replay.h"
#include "relayout/trace/reader.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

using namespace relayout;
using namespace relayout::analysis;

namespace {

struct LineSums {
  std::uint64_t warpAccesses = 0, laneAccesses = 0, recorded = 0, sectors = 0;
};
/// kernel, file, line, kind
using Lines = std::map<std::tuple<std::string, std::string, unsigned, std::string>, LineSums>;

std::uint64_t sectorsOf(const trace::WarpAccess &access, trace::AccessKind kind,
                        const TagBanks &tagBanks) {
  if (kind == trace::AccessKind::Atomic) {
    std::vector<std::uint64_t> active;
    for (int lane = 0; lane < trace::kWarpLanes; ++lane)
      if ((access.activeMask >> lane & 1) != 0)
        active.push_back(access.addresses[lane]);
    return atomicSectors(active, tagBanks);
  }
  std::set<std::uint64_t> sectors;
  for (int lane = 0; lane < trace::kWarpLanes; ++lane)
    if ((access.activeMask >> lane & 1) != 0)
      for (std::uint64_t at = access.addresses[lane] / kSectorBytes;
           at <= (access.addresses[lane] + access.bytes - 1) / kSectorBytes; ++at)
        sectors.insert(at);
  return sectors.size();
}

LineSums &lineOf(Lines &lines, const trace::Trace &trace, trace::Index kernel, std::uint32_t site) {
  const trace::Site &row = trace.sites.sites[*trace::findSite(trace.sites, site)];
  return lines[{trace.kernels[kernel], row.place.file, row.place.line,
                trace::accessKindName(row.kind)}];
}

[[noreturn]] void stop(const std::string &text) {
  std::cerr << "trace_sectors: " << text << "\n";
  std::exit(1);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: trace_sectors TRACE.rlt MACHINE.json\n";
    return 2;
  }
  std::ifstream file(argv[2]);
  std::stringstream text;
  text << file.rdbuf();
  const Result<Machine> machine = machineFromJson(text.str());
  if (!machine)
    stop(machine.error().text);
  const Result<trace::Trace> trace = trace::readTrace(argv[1]);
  if (!trace || !trace->complete)
    stop(trace ? "the trace is not complete" : trace.error().text);
  const trace::AccessSource accesses =
      [&](const std::function<bool(const trace::WarpAccess &)> &visit) {
        return trace::forEachAccess(argv[1], visit);
      };
  const std::vector<const Layout *> asIs(trace->sites.groups.size(), nullptr);
  const auto counts = replayTrace(*trace, accesses, asIs, *machine, 0);
  if (!counts)
    stop(counts.error().text);

  Lines lines;
  for (const trace::SiteCount &count : trace->counts) {
    LineSums &line = lineOf(lines, *trace, count.kernel, count.site);
    line.warpAccesses += count.warpAccesses;
    line.laneAccesses += count.laneAccesses;
    line.recorded += count.recorded;
  }
  const Result<void> read = accesses([&](const trace::WarpAccess &access) {
    const trace::Site &site = trace->sites.sites[*trace::findSite(trace->sites, access.site)];
    lineOf(lines, *trace, trace->launches[access.launch].kernel, access.site).sectors +=
        sectorsOf(access, site.kind, machine->architecture.tagBanks);
    return true;
  });
  if (!read)
    stop(read.error().text);

  nlohmann::ordered_json out;
  for (std::size_t kernel = 0; kernel < counts->size(); ++kernel) {
    SetCounts sum;
    for (const SetCounts &set : (*counts)[kernel].sets)
      sum += set;
    out["kernels"].push_back({{"kernel", trace->kernels[kernel]},
                              {"warp_accesses", (*counts)[kernel].warpAccesses},
                              {"read_sectors", sum.readSectors},
                              {"write_sectors", sum.writeSectors}});
  }
  for (const auto &[at, line] : lines)
    out["lines"].push_back({{"kernel", std::get<0>(at)},
                            {"file", std::get<1>(at)},
                            {"line", std::get<2>(at)},
                            {"kind", std::get<3>(at)},
                            {"warp_accesses", line.warpAccesses},
                            {"lane_accesses", line.laneAccesses},
                            {"recorded", line.recorded},
                            {"sectors", line.sectors}});
  std::cout << out.dump(1) << "\n";
  return 0;
}
