// SPDX-License-Identifier: Apache-2.0
// Tests of policy replay: warp streams of known kernels, made without tracing a program. The cases
// of layoutCases() are the kernels of tests/gpu/layout_bench.cu: keep both alike.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/analysis/nakai/classify.h"
#include "relayout/trace/trace.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace relayout::analysis {

/// A program whose kernels are written as what one warp does.
class SyntheticProgram {
public:
  static constexpr std::uint64_t kArrayDistance = 1ull << 40;

  /// Where one warp stands, and what it touches.
  class Warp {
  public:
    Warp(const SyntheticProgram &program, trace::WarpAccess &access,
         const std::function<bool(const trace::WarpAccess &)> &callback)
        : program_(program), access_(access), callback_(callback) {}

    [[nodiscard]] std::uint64_t thread(unsigned lane) const {
      return (std::uint64_t{access_.block} * program_.blockThreads_) +
             std::uint64_t{access_.warp} * 32 + lane;
    }
    /// All lanes touch a field of elementOf(lane).
    template <class ElementOf>
    void touch(trace::Index site, std::uint32_t array, ElementOf elementOf) {
      touchMember(site, array, elementOf, [](unsigned) { return 0u; });
    }
    /// All lanes touch an element of an array member of elementOf(lane).
    template <class ElementOf, class MemberOf>
    void touchMember(trace::Index site, std::uint32_t array, ElementOf elementOf,
                     MemberOf memberOf) {
      const trace::Site &at = program_.trace_.sites.sites[site];
      std::uint64_t recordBytes = at.bytes;
      std::uint64_t offset = 0;
      if (at.record != trace::kNone) {
        const trace::Record &record = program_.trace_.sites.records[at.record];
        recordBytes = record.bytes;
        offset = at.field == trace::kNone ? 0 : record.fields[at.field].offset;
      }
      access_.site = at.id;
      access_.bytes = at.bytes;
      access_.activeMask = 0xffffffffu;
      for (unsigned lane = 0; lane < 32; ++lane)
        access_.addresses[lane] = (array + 1) * kArrayDistance + elementOf(lane) * recordBytes +
                                  offset + memberOf(lane) * std::uint64_t{at.bytes};
      callback_(access_);
      ++access_.order;
    }

  private:
    const SyntheticProgram &program_;
    trace::WarpAccess &access_;
    const std::function<bool(const trace::WarpAccess &)> &callback_;
  };
  using Body = std::function<void(Warp &)>;

  explicit SyntheticProgram(std::uint32_t blockThreads = 256) : blockThreads_(blockThreads) {
    trace_.complete = true;
    trace_.sites.sourceFile = "program.cu";
    trace_.sites.sourceDigest = "digest";
  }

  /// \param fields  name, bytes (and alignment) of each
  trace::Index record(const std::vector<std::pair<std::string, std::uint32_t>> &fields) {
    trace::Record record;
    record.name = "Record" + std::to_string(trace_.sites.records.size());
    for (const auto &[name, bytes] : fields) {
      record.bytes = (record.bytes + bytes - 1) / bytes * bytes;
      record.fields.push_back({name, "float", "", record.bytes, bytes, bytes, 1});
      record.bytes += bytes;
      record.alignment = std::max(record.alignment, bytes);
    }
    record.bytes = (record.bytes + record.alignment - 1) / record.alignment * record.alignment;
    trace_.sites.records.push_back(record);
    trace_.sites.groups.push_back({static_cast<trace::Index>(trace_.sites.records.size() - 1),
                                   {"main::" + record.name},
                                   {"program.cu", 1, 1}});
    return static_cast<trace::Index>(trace_.sites.records.size() - 1);
  }
  /// Makes the fields of a record arrays of so many elements; a site then touches one of them.
  void makeArrays(trace::Index record, const std::vector<std::uint32_t> &counts) {
    trace::Record &of = trace_.sites.records[record];
    of.bytes = 0;
    for (std::size_t f = 0; f < of.fields.size(); ++f) {
      trace::Field &field = of.fields[f];
      field.count = counts[f];
      field.bytes = field.alignment * counts[f];
      of.bytes = (of.bytes + field.alignment - 1) / field.alignment * field.alignment;
      field.offset = of.bytes;
      of.bytes += field.bytes;
    }
    of.bytes = (of.bytes + of.alignment - 1) / of.alignment * of.alignment;
  }
  trace::Index floats(const std::vector<std::string> &names) {
    std::vector<std::pair<std::string, std::uint32_t>> fields;
    for (const std::string &name : names)
      fields.emplace_back(name, 4);
    return record(fields);
  }

  /// \returns the array's number, for Warp::touch
  std::uint32_t array(std::uint64_t elements, std::uint64_t elementBytes) {
    const auto number = static_cast<std::uint32_t>(trace_.allocations.size());
    trace_.allocations.push_back({(number + 1) * kArrayDistance, elements * elementBytes});
    trace_.transfers.push_back(
        {trace_.allocations.back().address, false, 1, trace_.allocations.back().bytes});
    return number;
  }

  /// \param record  kNone: words of a plain array
  trace::Index site(trace::Index record, trace::Index field,
                    trace::AccessKind kind = trace::AccessKind::Read, std::uint32_t bytes = 4) {
    trace::Site site;
    site.id = static_cast<std::uint32_t>(trace_.sites.sites.size()) + 1;
    site.kind = kind;
    site.record = record;
    site.group = record; // one group a record
    site.field = field;
    site.bytes = bytes;
    if (record != trace::kNone && field == trace::kNone)
      site.bytes = trace_.sites.records[record].bytes;
    else if (record != trace::kNone)
      site.bytes = trace_.sites.records[record].fields[field].bytes /
                   trace_.sites.records[record].fields[field].count;
    site.place = {"program.cu", site.id, 5};
    trace_.sites.sites.push_back(site);
    return static_cast<trace::Index>(trace_.sites.sites.size() - 1);
  }

  /// A kernel of which every stride-th block is recorded.
  void kernel(const std::string &name, std::uint32_t threads, std::uint64_t launches, Body body,
              std::uint32_t sampledBlocks = 32) {
    const std::uint32_t blocks = threads / blockThreads_;
    const auto index = static_cast<trace::Index>(trace_.kernels.size());
    trace_.kernels.push_back(name);
    trace_.sites.kernels.push_back({name, {"program.cu", 1, 1}});
    const std::uint64_t stride = std::max<std::uint64_t>(blocks / sampledBlocks, 1);
    for (std::uint64_t i = 0; i < launches; ++i)
      trace_.launches.push_back({.kernel = index,
                                 .grid = {blocks, 1, 1},
                                 .block = {blockThreads_, 1, 1},
                                 .sampleStride = i == 0 ? stride : 0});
    trace_.launchesExecuted = trace_.launches.size();
    const auto launch = static_cast<std::uint32_t>(trace_.launches.size() - launches);
    bodies_.push_back({launch, blocks, stride, std::move(body)});
    count(index, launches);
  }

  /// All kernels become launches of the first.
  void mergeKernels() {
    for (trace::Launch &launch : trace_.launches)
      launch.kernel = 0;
    std::map<std::uint32_t, trace::SiteCount> counts;
    for (trace::SiteCount count : trace_.counts) {
      count.kernel = 0;
      const auto [entry, isNew] = counts.try_emplace(count.site, count);
      if (isNew)
        continue;
      entry->second.warpAccesses += count.warpAccesses;
      entry->second.laneAccesses += count.laneAccesses;
      entry->second.recorded += count.recorded;
      entry->second.dropped += count.dropped;
    }
    trace_.counts.clear();
    for (const auto &[site, count] : counts)
      trace_.counts.push_back(count);
    trace_.kernels.resize(1);
    trace_.sites.kernels.resize(1);
  }

  [[nodiscard]] const trace::Trace &trace() const { return trace_; }
  [[nodiscard]] trace::Trace &trace() { return trace_; }

  [[nodiscard]] trace::AccessSource source() const {
    return [this](const std::function<bool(const trace::WarpAccess &)> &callback) {
      for (const Launched &launched : bodies_)
        run(launched, callback);
      return Result<void>{};
    };
  }

private:
  struct Launched {
    std::uint32_t launch = 0;
    std::uint32_t blocks = 0;
    std::uint64_t stride = 1;
    Body body;
  };

  void run(const Launched &launched,
           const std::function<bool(const trace::WarpAccess &)> &callback) const {
    for (std::uint64_t block = launched.stride / 2; block < launched.blocks;
         block += launched.stride)
      for (std::uint32_t warp = 0; warp < blockThreads_ / 32; ++warp) {
        trace::WarpAccess access;
        access.launch = launched.launch;
        access.block = static_cast<std::uint32_t>(block);
        access.warp = warp;
        Warp standing(*this, access, callback);
        launched.body(standing);
      }
  }

  /// Counts of all blocks, from those of the recorded ones: every block does the same amount.
  void count(trace::Index kernel, std::uint64_t launches) {
    const Launched &launched = bodies_.back();
    std::vector<std::uint64_t> recorded(trace_.sites.sites.size());
    run(launched, [&](const trace::WarpAccess &access) {
      ++recorded[access.site - 1];
      return true;
    });
    std::uint64_t blocks = 0;
    for (std::uint64_t b = launched.stride / 2; b < launched.blocks; b += launched.stride)
      ++blocks;
    for (std::uint32_t site = 0; site < recorded.size(); ++site)
      if (recorded[site] != 0) {
        const std::uint64_t all = recorded[site] / blocks * launched.blocks * launches;
        trace_.counts.push_back(
            {kernel, site + 1, all, all * 32, recorded[site], all - recorded[site]});
      }
  }

  std::uint32_t blockThreads_;
  trace::Trace trace_;
  std::vector<Launched> bodies_;
};

inline std::uint32_t benchHash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

/// One kernel of tests/gpu/layout_bench.cu.
struct LayoutCase {
  std::string pattern;
  std::string fields;
  SyntheticProgram program;
};

inline constexpr std::uint32_t kBenchElements = 1u << 26;
inline constexpr std::uint32_t kBenchGatherThreads = 1u << 24;
inline constexpr std::uint32_t kBenchLocalWindow = 4096;
inline constexpr std::uint32_t kBenchTableThreads = 1u << 20;
inline constexpr std::uint32_t kBenchTableElements = 1024;
inline constexpr std::uint32_t kBenchVectors = 1u << 25;
inline constexpr std::uint32_t kBenchStridedThreads = 132 * 8 * 256;
inline constexpr std::uint32_t kBenchStridedElements = 248 * kBenchStridedThreads;
inline constexpr std::uint32_t kBenchRow = 256;
inline constexpr std::uint32_t kBenchPlane = kBenchRow * 256;

/// All partitions of the four fields of a record, as `Small` of layout_bench.cu lays them out.
inline std::vector<std::pair<std::string, Layout>>
smallLayouts(const std::vector<LayoutField> &fields) {
  std::vector<std::pair<std::string, Layout>> layouts{{"aos", aos(fields)}};
  std::vector<std::uint32_t> clusterOf(4);
  const std::function<void(std::uint32_t, std::uint32_t)> grow = [&](std::uint32_t field,
                                                                     std::uint32_t clusters) {
    if (field < 4) {
      for (clusterOf[field] = 0; clusterOf[field] <= clusters; ++clusterOf[field])
        grow(field + 1, std::max(clusters, clusterOf[field] + 1));
      return;
    }
    Layout layout;
    std::string name;
    for (std::uint32_t c = 0; c < clusters; ++c) {
      Cluster cluster;
      name += c == 0 ? "" : "|";
      for (std::uint32_t f = 0; f < 4; ++f)
        if (clusterOf[f] == c) {
          cluster.fields.push_back(f);
          name += static_cast<char>('a' + f);
        }
      const auto size = static_cast<std::uint32_t>(cluster.fields.size());
      cluster.alignment = size == 2 || size == 4 ? 4 * size : 0;
      layout.clusters.push_back(std::move(cluster));
    }
    layouts.emplace_back(name, std::move(layout));
  };
  grow(0, 0);
  return layouts;
}

/// The layouts that layout_bench.cu has by hand.
inline std::vector<std::pair<std::string, Layout>>
benchLayouts(const std::vector<LayoutField> &fields) {
  std::vector<std::pair<std::string, Layout>> layouts{{"aos", aos(fields)}};
  if (fields.size() == 3) {
    layouts.emplace_back("soa", soa(fields));
    return layouts;
  }
  if (fields.size() == 4)
    return smallLayouts(fields);
  layouts.emplace_back("aligned-aos", alignedAos(fields, 16));
  layouts.emplace_back("soa", soa(fields));
  layouts.emplace_back("aosoa-32", aosoa(fields, 32));
  layouts.emplace_back("clusters-4", Layout{.clusters = {{{0, 1, 2, 3}, 16}, {{4, 5, 6, 7}, 16}}});
  layouts.emplace_back(
      "head-cluster",
      Layout{.clusters = {{{0, 1, 2, 3}, 16}, {{4}, 0}, {{5}, 0}, {{6}, 0}, {{7}, 0}}});
  return layouts;
}

/// \param pattern  stream, gather, local, broadcast, mixed, strided, grid, update or vectors; or
///                 one of those with "small " before it, of a record of four fields
inline LayoutCase layoutCase(const std::string &pattern, std::uint32_t fieldMask,
                             const std::string &fields, std::uint64_t launches = 1) {
  LayoutCase result{pattern, fields, SyntheticProgram{}};
  SyntheticProgram &program = result.program;
  using Warp = SyntheticProgram::Warp;
  if (pattern == "vectors") {
    const trace::Index record = program.record({{"x", 8}, {"y", 8}, {"z", 8}});
    const std::uint32_t vectors = program.array(kBenchVectors, 24);
    std::vector<trace::Index> reads;
    std::vector<trace::Index> writes;
    for (trace::Index f = 0; f < 3; ++f) {
      reads.push_back(program.site(record, f));
      writes.push_back(program.site(record, f, trace::AccessKind::Write));
    }
    program.kernel("vectors", kBenchVectors, launches, [=](Warp &warp) {
      const auto own = [&](unsigned lane) { return warp.thread(lane); };
      for (std::size_t f = 0; f < 3; ++f) {
        warp.touch(reads[f], vectors, own);
        warp.touch(writes[f], vectors, own);
      }
    });
    return result;
  }

  const bool isSmall = pattern.starts_with("small ");
  const std::string access = isSmall ? pattern.substr(6) : pattern;
  const trace::Index record = isSmall ? program.floats({"a", "b", "c", "d"})
                                      : program.floats({"a", "b", "c", "d", "e", "f", "g", "h"});
  const std::uint32_t fieldCount = isSmall ? 4 : 8;
  const std::uint32_t records = program.array(kBenchElements, std::uint64_t{fieldCount} * 4);
  const std::uint32_t index = program.array(kBenchGatherThreads, 4);
  const std::uint32_t out = program.array(kBenchElements, 4);
  const trace::Index indexSite = program.site(trace::kNone, trace::kNone);
  const trace::Index outSite = program.site(trace::kNone, trace::kNone, trace::AccessKind::Write);
  std::vector<trace::Index> reads;
  std::vector<trace::Index> writes;
  for (trace::Index f = 0; f < fieldCount; ++f) {
    reads.push_back(program.site(record, f));
    writes.push_back(program.site(record, f, trace::AccessKind::Write));
  }
  const auto touchFields = [=](Warp &warp, std::uint32_t mask, auto elementOf) {
    for (std::uint32_t f = 0; f < fieldCount; ++f)
      if ((mask >> f & 1) != 0)
        warp.touch(reads[f], records, elementOf);
  };
  const auto random = [](std::uint64_t thread) -> std::uint64_t {
    return benchHash(static_cast<std::uint32_t>(thread)) % kBenchElements;
  };
  const auto local = [](std::uint64_t thread) -> std::uint64_t {
    return (thread + benchHash(static_cast<std::uint32_t>(thread)) % kBenchLocalWindow) %
           kBenchElements;
  };
  SyntheticProgram::Body body;
  std::uint32_t threads = kBenchElements;
  if (access == "stream") {
    body = [=](Warp &warp) {
      const auto own = [&](unsigned lane) { return warp.thread(lane); };
      touchFields(warp, fieldMask, own);
      warp.touch(outSite, out, own);
    };
  } else if (access == "gather" || access == "local") {
    threads = kBenchGatherThreads;
    const bool isLocal = access == "local";
    body = [=](Warp &warp) {
      const auto own = [&](unsigned lane) { return warp.thread(lane); };
      warp.touch(indexSite, index, own);
      touchFields(warp, fieldMask, [&](unsigned lane) {
        return isLocal ? local(warp.thread(lane)) : random(warp.thread(lane));
      });
      warp.touch(outSite, out, own);
    };
  } else if (access == "broadcast") {
    threads = kBenchTableThreads;
    body = [=](Warp &warp) {
      for (std::uint64_t j = 0; j < kBenchTableElements; ++j)
        touchFields(warp, fieldMask, [&](unsigned) { return j; });
      warp.touch(outSite, out, [&](unsigned lane) { return warp.thread(lane); });
    };
  } else if (access == "mixed") {
    threads = kBenchGatherThreads;
    const std::uint32_t gathered = isSmall ? 0x3 : 0x0f;
    body = [=](Warp &warp) {
      const auto own = [&](unsigned lane) { return warp.thread(lane); };
      warp.touch(indexSite, index, own);
      touchFields(warp, gathered, [&](unsigned lane) { return random(warp.thread(lane)); });
      touchFields(warp, fieldMask & ~gathered, own);
      warp.touch(outSite, out, own);
    };
  } else if (access == "strided") {
    threads = kBenchStridedThreads;
    body = [=](Warp &warp) {
      for (std::uint64_t at = 0; at < kBenchStridedElements; at += kBenchStridedThreads) {
        const auto own = [&](unsigned lane) { return at + warp.thread(lane); };
        touchFields(warp, fieldMask, own);
        warp.touch(outSite, out, own);
      }
    };
  } else if (access == "grid") {
    threads = kBenchElements - 2 * kBenchPlane;
    body = [=](Warp &warp) {
      const auto near = [&](std::int64_t distance) {
        return [&warp, distance](unsigned lane) {
          return kBenchPlane + warp.thread(lane) + static_cast<std::uint64_t>(distance);
        };
      };
      touchFields(warp, fieldMask & ~1u, near(0));
      for (const std::int64_t distance :
           {std::int64_t{1}, std::int64_t{kBenchRow}, std::int64_t{kBenchPlane}}) {
        touchFields(warp, 1, near(-distance));
        touchFields(warp, 1, near(distance));
      }
      warp.touch(outSite, out, near(0));
    };
  } else if (isSmall) { // a += c
    body = [=](Warp &warp) {
      const auto own = [&](unsigned lane) { return warp.thread(lane); };
      touchFields(warp, fieldMask, own);
      warp.touch(writes[0], records, own);
    };
  } else {
    body = [=](Warp &warp) {
      const auto own = [&](unsigned lane) { return warp.thread(lane); };
      for (std::uint32_t f = 0; f < 8; ++f)
        if ((fieldMask >> f & 1) != 0) {
          warp.touch(reads[f], records, own);
          warp.touch(writes[f], records, own);
        }
    };
  }
  program.kernel(pattern, threads, launches, body);
  return result;
}

inline std::vector<LayoutCase> layoutCases() {
  std::vector<LayoutCase> cases;
  for (const char *pattern : {"stream", "gather", "local", "broadcast"}) {
    cases.push_back(layoutCase(pattern, 0x01, "1"));
    cases.push_back(layoutCase(pattern, 0x42, "2"));
    cases.push_back(layoutCase(pattern, 0x0f, "4"));
    cases.push_back(layoutCase(pattern, 0xff, "8"));
  }
  cases.push_back(layoutCase("mixed", 0x3f, "6"));
  cases.push_back(layoutCase("strided", 0x01, "1"));
  cases.push_back(layoutCase("strided", 0x0f, "4"));
  cases.push_back(layoutCase("strided", 0xff, "8"));
  cases.push_back(layoutCase("grid", 0x1f, "5"));
  cases.push_back(layoutCase("small stream", 0x5, "2"));
  cases.push_back(layoutCase("small gather", 0x3, "2"));
  cases.push_back(layoutCase("small gather", 0xf, "4"));
  cases.push_back(layoutCase("small local", 0x7, "3"));
  cases.push_back(layoutCase("small mixed", 0x7, "3"));
  cases.push_back(layoutCase("small update", 0x5, "2"));
  cases.push_back(layoutCase("update", 0x01, "1"));
  cases.push_back(layoutCase("update", 0xff, "8"));
  cases.push_back(layoutCase("vectors", 0x07, "3"));
  return cases;
}

} // namespace relayout::analysis
