// SPDX-License-Identifier: Apache-2.0
// A trace as text a person can read.
#include "relayout/trace/dump.h"

#include "relayout/trace/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace relayout::trace {
namespace {

std::string show(const SourcePlace &place) {
  if (place.file.empty())
    return "-";
  return place.line == 0 ? place.file
                         : fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

std::string show(const std::array<std::uint32_t, 3> &extent) {
  return fmt::format("({},{},{})", extent[0], extent[1], extent[2]);
}

std::string kernelName(const Trace &trace, Index kernel) {
  return kernel < trace.kernels.size() ? trace.kernels[kernel] : fmt::format("kernel #{}", kernel);
}

/// What a site touches, as the source has it: "Particle.x", "Particle (whole)".
std::string subject(const SiteTable &table, const Site &site) {
  if (site.record == kNone)
    return "-";
  const Record &record = table.records[site.record];
  if (site.field == kNone)
    return record.name + " (whole)";
  return record.name + "." + record.fields[site.field].name;
}

void dumpHeader(const Trace &trace, const std::function<void(std::string_view)> &print) {
  print(fmt::format("command   {}\n", trace.command.empty() ? "-" : trace.command));
  print(fmt::format("machine   {} {}\n", trace.machine.kind, trace.machine.name));
  print(fmt::format("source    {} {}\n",
                    trace.sites.sourceFile.empty() ? "-" : trace.sites.sourceFile,
                    trace.sites.sourceDigest));
  print(fmt::format("complete  {}\n",
                    trace.complete ? "yes" : "no: the program did not end in order"));
  if (trace.complete)
    print(fmt::format("blocks    {} executed, {} sampled\n", trace.blocksExecuted,
                      trace.blocksSampled));
  print(fmt::format("records   {} warp accesses with addresses\n", trace.accessRecords));
}

void dumpLaunches(const Trace &trace, const std::function<void(std::string_view)> &print) {
  if (trace.complete)
    print(fmt::format("\nlaunches: {} executed, {} listed\n", trace.launchesExecuted,
                      trace.launches.size()));
  else
    print(fmt::format("\nlaunches: {} listed\n", trace.launches.size()));
  for (std::size_t i = 0; i < trace.launches.size();) {
    const Launch &launch = trace.launches[i];
    std::size_t end = i + 1;
    const auto equal = [&launch](const Launch &other) {
      return other.kernel == launch.kernel && other.grid == launch.grid &&
             other.block == launch.block && other.sharedBytes == launch.sharedBytes &&
             other.sampleStride == launch.sampleStride;
    };
    while (end < trace.launches.size() && equal(trace.launches[end]))
      ++end;
    const std::string numbers =
        end == i + 1 ? fmt::format("{}", i) : fmt::format("{}-{}", i, end - 1);
    print(fmt::format(
        "  {:>9}  {}  grid {} block {} shared {} B  {}\n", numbers,
        kernelName(trace, launch.kernel), show(launch.grid), show(launch.block), launch.sharedBytes,
        launch.sampleStride == 0 ? "no block sampled"
                                 : fmt::format("1 block in {} sampled", launch.sampleStride)));
    i = end;
  }
}

void dumpCounts(const Trace &trace, const std::function<void(std::string_view)> &print) {
  print(fmt::format("\nsites: {} rows\n", trace.counts.size()));
  if (!trace.counts.empty())
    print(fmt::format("  {:>5} {:<7} {:<28} {:>14} {:>15} {:>12} {:>14}  {}\n", "site", "kind",
                      "what", "warp accesses", "lanes", "recorded", "dropped", "kernel, place"));
  for (const SiteCount &row : trace.counts) {
    const std::optional<Index> index = findSite(trace.sites, row.site);
    const Site *site = index ? &trace.sites.sites[*index] : nullptr;
    print(fmt::format("  {:>5} {:<7} {:<28} {:>14} {:>15} {:>12} {:>14}  {}, {}\n", row.site,
                      site ? accessKindName(site->kind) : "-",
                      site ? subject(trace.sites, *site) : "-", row.warpAccesses, row.laneAccesses,
                      row.recorded, row.dropped, kernelName(trace, row.kernel),
                      site ? show(site->place) : "-"));
  }
  print(fmt::format("\nloops: {} rows\n", trace.loops.size()));
  for (const LoopCount &row : trace.loops) {
    const auto loop = std::ranges::find(trace.sites.loops, row.loop, &Loop::id);
    print(fmt::format("  {:>5} {:>14} warp entries {:>14} warp iterations  {}, {}\n", row.loop,
                      row.warpEntries, row.warpIterations, kernelName(trace, row.kernel),
                      loop == trace.sites.loops.end() ? "-" : show(loop->place)));
  }
}

void dumpMemory(const Trace &trace, const std::function<void(std::string_view)> &print) {
  print(fmt::format("\nallocations: {}\n", trace.allocations.size()));
  for (const Allocation &allocation : trace.allocations)
    print(fmt::format("  0x{:x}  {} B\n", allocation.address, allocation.bytes));
  print(fmt::format("\ncopies to the host: {}\n", trace.copies.size()));
  for (const CopyDigest &copy : trace.copies)
    print(fmt::format("  {} B, {} B of it padding  {}  {}\n", copy.bytes, copy.paddingBytes,
                      copy.digest, copy.place.empty() ? "-" : copy.place));
  print(fmt::format("\ncopied between host and arrays: {} rows\n", trace.transfers.size()));
  for (const HostTransfer &transfer : trace.transfers)
    print(fmt::format("  {:>6} copies {} 0x{:x}, {} B  {}\n", transfer.copies,
                      transfer.isToHost ? "from" : "to", transfer.address, transfer.bytes,
                      transfer.place.empty() ? "-" : transfer.place));
}

} // namespace

std::string describe(const WarpAccess &access) {
  std::string text = fmt::format("launch {} block {} warp {} #{} site {} mask {:08x} {} B",
                                 access.launch, access.block, access.warp, access.order,
                                 access.site, access.activeMask, access.bytes);
  std::uint32_t lanes = access.activeMask;
  if (lanes == 0)
    return text;
  const unsigned first = static_cast<unsigned>(std::countr_zero(lanes));
  lanes &= lanes - 1;
  text += fmt::format(" at 0x{:x}", access.addresses[first]);
  if (lanes == 0)
    return text;

  // Addresses in even steps over neighbouring lanes are told by the step, others one by one.
  const unsigned second = static_cast<unsigned>(std::countr_zero(lanes));
  const std::uint64_t stride = access.addresses[second] - access.addresses[first];
  bool even = second == first + 1;
  for (std::uint32_t rest = lanes; rest != 0 && even; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    even = access.addresses[lane] == access.addresses[first] + stride * (lane - first);
  }
  if (even)
    return text + fmt::format(" {:+} a lane", static_cast<std::int64_t>(stride));
  for (; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
    text += fmt::format(
        " {:+}", static_cast<std::int64_t>(access.addresses[lane] - access.addresses[first]));
  }
  return text;
}

Result<void> dump(const std::string &path, const DumpOptions &options,
                  const std::function<void(std::string_view)> &print) {
  const Result<Trace> trace = readTrace(path);
  if (!trace)
    return tl::unexpected(trace.error());
  dumpHeader(*trace, print);
  dumpLaunches(*trace, print);
  dumpCounts(*trace, print);
  dumpMemory(*trace, print);
  if (options.accesses > 0) {
    print("\naccesses: base address, then what each further lane adds\n");
    std::uint64_t left = options.accesses;
    const Result<void> done = forEachAccess(path, [&](const WarpAccess &access) {
      print("  " + describe(access) + "\n");
      return --left > 0;
    });
    if (!done)
      return done;
    if (trace->accessRecords > options.accesses)
      print(fmt::format("  ... {} more\n", trace->accessRecords - options.accesses));
  }
  return requireComplete(*trace, path);
}

} // namespace relayout::trace
