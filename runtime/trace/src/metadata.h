// SPDX-License-Identifier: Apache-2.0
// Trace file: the payloads other than warp accesses, to bytes and back.
#pragma once

#include "bytes.h"
#include "relayout/trace/trace.h"

namespace relayout::trace {

void encode(const Machine &machine, ByteSink &sink);
void encode(const Launch &launch, ByteSink &sink);
void encode(const Allocation &allocation, ByteSink &sink);
void encode(const CopyDigest &copy, ByteSink &sink);
void encode(const HostTransfer &transfer, ByteSink &sink);

/// What stands in the end chunk.
struct Totals {
  std::vector<std::string> kernels;
  std::vector<SiteCount> counts;
  std::vector<LoopCount> loops;
  std::uint64_t launchesExecuted = 0;
  std::uint64_t blocksExecuted = 0;
  std::uint64_t blocksSampled = 0;
  std::uint64_t accessRecords = 0;
};
void encode(const Totals &totals, ByteSink &sink);

// Each decoder returns whether the bytes were one; a value from a failed decode means nothing.
[[nodiscard]] bool decode(ByteSource &source, Machine &machine);
[[nodiscard]] bool decode(ByteSource &source, Launch &launch);
[[nodiscard]] bool decode(ByteSource &source, Allocation &allocation);
[[nodiscard]] bool decode(ByteSource &source, CopyDigest &copy);
[[nodiscard]] bool decode(ByteSource &source, HostTransfer &transfer);
[[nodiscard]] bool decode(ByteSource &source, Totals &totals);

} // namespace relayout::trace
