// SPDX-License-Identifier: Apache-2.0
// Runs a program's text on the CPU, and has what it recorded.
#pragma once

#include "lowered_program.h"

#include "relayout/trace/reader.h"

#include <bit>

namespace relayout::instrument {

/// One warp access: the mark's site, the lanes, and the byte offset of the lowest active lane.
struct Seen {
  std::uint32_t mask;
  std::uint64_t offset;
  bool operator==(const Seen &) const = default;
};
inline void PrintTo(const Seen &seen, std::ostream *out) {
  *out << "{0x" << std::hex << seen.mask << std::dec << ", " << seen.offset << "}";
}

class TracedRun {
public:
  explicit TracedRun(const std::string &text) : program(text) {
    const std::string path = program.folder() + "/trace";
    output = runLowered(program, Probes::Trace, hostCompilers().front(),
                        "RELAYOUT_TRACE=" + path + " RELAYOUT_TRACE_MODE=full RELAYOUT_WORKERS=1");
    auto read = trace::readTrace(path);
    if (!read) {
      ADD_FAILURE() << read.error().text << "\n" << output;
      return;
    }
    trace = std::move(*read);
    const auto done = trace::forEachAccess(path, [&](const trace::WarpAccess &access) {
      accesses.push_back(access);
      return true;
    });
    EXPECT_TRUE(done.has_value());
  }

  /// All warp accesses of the n-th site at a mark, in order.
  std::vector<Seen> at(const char *mark, std::size_t n = 0) const {
    std::vector<std::uint32_t> ids;
    for (const trace::Site &site : trace.sites.sites)
      if (site.place == program.mark(mark))
        ids.push_back(site.id);
    std::vector<Seen> seen;
    if (n >= ids.size() || trace.allocations.empty())
      return seen;
    for (const trace::WarpAccess &access : accesses)
      if (access.site == ids[n])
        seen.push_back({access.activeMask, access.addresses[std::countr_zero(access.activeMask)] -
                                               trace.allocations.front().address});
    return seen;
  }

  ProgramText program;
  std::string output;
  trace::Trace trace;
  std::vector<trace::WarpAccess> accesses;
};

} // namespace relayout::instrument
