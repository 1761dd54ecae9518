// SPDX-License-Identifier: Apache-2.0
// Tests of the analysis: a traced program put together line by line, without a file.
#pragma once

#include "relayout/analysis/nakai/classify.h"
#include "relayout/trace/trace.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace relayout::analysis {

/// One warp access with the address of each of `lanes` lanes given by a function.
inline trace::WarpAccess warpAccess(const std::function<std::uint64_t(unsigned)> &addressOf,
                                    std::uint32_t mask = 0xffffffffu) {
  trace::WarpAccess access;
  access.activeMask = mask;
  access.bytes = 4;
  for (unsigned lane = 0; lane < trace::kWarpLanes; ++lane)
    if ((mask >> lane & 1) != 0)
      access.addresses[lane] = addressOf(lane);
  return access;
}

/// Lanes 4 bytes apart: all 31 others lie within 128 bytes of the first.
inline trace::WarpAccess streamed() {
  return warpAccess([](unsigned lane) { return 0x10000 + lane * 4; });
}
/// Lanes 4096 bytes apart: each alone.
inline trace::WarpAccess scattered() {
  return warpAccess([](unsigned lane) { return 0x10000 + lane * 4096; });
}
/// All lanes at one address.
inline trace::WarpAccess broadcast() {
  return warpAccess([](unsigned) { return 0x10000; });
}

class TracedProgram {
public:
  TracedProgram() {
    trace_.complete = true;
    trace_.sites.sourceFile = "program.cu";
    trace_.sites.sourceDigest = "digest";
    trace_.machine = {"cpu", "test"};
    trace_.command = "./program";
  }

  /// A record of floats.
  trace::Index record(const std::string &name, const std::vector<std::string> &fields) {
    trace::Record record;
    record.name = name;
    record.alignment = 4;
    for (const std::string &field : fields) {
      record.fields.push_back({field, "float", "", record.bytes, 4, 4, 1});
      record.bytes += 4;
    }
    trace_.sites.records.push_back(record);
    return static_cast<trace::Index>(trace_.sites.records.size() - 1);
  }

  trace::Index group(trace::Index record, const std::string &array) {
    trace_.sites.groups.push_back({record, {array}, {"program.cu", 1, 1}});
    return static_cast<trace::Index>(trace_.sites.groups.size() - 1);
  }

  trace::Index kernel(const std::string &name) {
    trace_.sites.kernels.push_back({name, {"program.cu", 1, 1}});
    trace_.kernels.push_back(name);
    trace_.launches.push_back({.kernel = static_cast<trace::Index>(trace_.kernels.size() - 1)});
    trace_.launchesExecuted = trace_.launches.size();
    return static_cast<trace::Index>(trace_.kernels.size() - 1);
  }

  trace::Index loop() {
    trace::Loop loop;
    loop.id = nextId_++;
    loop.place = {"program.cu", loop.id, 3};
    trace_.sites.loops.push_back(loop);
    return static_cast<trace::Index>(trace_.sites.loops.size() - 1);
  }

  /// \returns the site's index; a field of kNone is a whole-record copy
  trace::Index site(trace::Index record, trace::Index group, trace::Index field,
                    trace::Index loop = trace::kNone,
                    trace::AccessKind kind = trace::AccessKind::Read) {
    trace::Site site;
    site.id = nextId_++;
    site.record = record;
    site.group = group;
    site.field = field;
    site.loop = loop;
    site.kind = kind;
    site.place = {"program.cu", site.id, 5};
    trace_.sites.sites.push_back(site);
    return static_cast<trace::Index>(trace_.sites.sites.size() - 1);
  }

  void reach(trace::Index kernel, trace::Index site, trace::Index loop) {
    trace_.sites.reaches.push_back({kernel, site, loop});
  }

  /// The kernel executed the site `executions` times; those given were recorded.
  void execute(trace::Index kernel, trace::Index site, std::uint64_t executions,
               std::vector<trace::WarpAccess> recorded = {}) {
    const std::uint32_t id = trace_.sites.sites[site].id;
    trace_.counts.push_back(
        {kernel, id, executions, executions * 32, recorded.size(), executions - recorded.size()});
    for (trace::WarpAccess &access : recorded) {
      access.launch = kernel; // each kernel is launched once
      access.site = id;
      accesses_.push_back(access);
    }
  }

  [[nodiscard]] const trace::Trace &trace() const { return trace_; }
  [[nodiscard]] trace::Trace &trace() { return trace_; }

  [[nodiscard]] trace::AccessSource source() const {
    return [this](const std::function<bool(const trace::WarpAccess &)> &callback) {
      for (const trace::WarpAccess &access : accesses_)
        if (!callback(access))
          break;
      return Result<void>{};
    };
  }

  [[nodiscard]] std::vector<std::size_t> allRows(std::size_t rows) const {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < rows; ++i)
      positions.push_back(i);
    return positions;
  }

private:
  trace::Trace trace_;
  std::vector<trace::WarpAccess> accesses_;
  std::uint32_t nextId_ = 1;
};

} // namespace relayout::analysis
