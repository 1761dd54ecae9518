// SPDX-License-Identifier: Apache-2.0
// Policy replay: the access sets of every kernel, each once.
#pragma once

#include "replay/stream/open_bundle.h"
#include "replay/stream/site_facts.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace relayout::analysis {

class AccessSetTable {
public:
  /// \param kernels  whose sets grow
  explicit AccessSetTable(std::vector<KernelStream> &kernels)
      : kernels_(kernels), byHash_(kernels.size()) {}

  /// \param facts  of the set's first site
  /// \returns  index into KernelStream::accessSets
  std::uint32_t intern(trace::Index kernel, const OpenSet &set, SiteFacts &facts);

private:
  std::vector<KernelStream> &kernels_;
  /// By kernel: access sets by their hash.
  std::vector<std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>> byHash_;
};

} // namespace relayout::analysis
