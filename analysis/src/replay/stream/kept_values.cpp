// SPDX-License-Identifier: Apache-2.0
// What a warp accesses again.
#include "replay/stream/kept_values.h"

#include "relayout/analysis/compiler_model/nvcc13.h"

#include <algorithm>
#include <map>
#include <vector>

namespace relayout::analysis {
namespace {

/// The elements of one array that a warp has values of.
class KeptElements {
public:
  /// \returns whether the access needs no memory: all it does was done to these elements before
  bool keeps(const Wave &wave, const LanePattern &pattern, bool reads, bool writes) {
    const auto known = std::ranges::find_if(
        elements_, [&](const Element &element) { return areSame(wave, element.pattern, pattern); });
    if (known == elements_.end()) {
      if (elements_.size() == nvcc13::kRegistersInFlight)
        elements_.erase(elements_.begin());
      elements_.push_back({pattern, writes});
      return false;
    }
    if (writes && !known->isWritten) {
      known->isWritten = true;
      return false;
    }
    return reads || writes;
  }

private:
  struct Element {
    LanePattern pattern;
    bool isWritten = false;
  };

  static bool areSame(const Wave &wave, const LanePattern &a, const LanePattern &b) {
    if (a.base != b.base || a.mask != b.mask || a.stride != b.stride)
      return false;
    const bool isAffine = a.offsets == LanePattern::kAffine;
    if (isAffine || b.offsets == LanePattern::kAffine)
      return a.offsets == b.offsets;
    return wave.offsets[a.offsets] == wave.offsets[b.offsets];
  }

  std::vector<Element> elements_;
};

/// By access set, whether it is of a plain array, of which each bundle has one element a lane.
std::vector<bool> plainSets(const trace::Trace &trace, const ReplaySample &sample,
                            const std::vector<AccessSet> &sets) {
  std::vector<bool> plain;
  for (const AccessSet &set : sets) {
    const trace::Index group = sample.stream.arrays[set.array].group;
    plain.push_back(group != trace::kNone && set.atomics == 0 && set.arrayField == trace::kNone &&
                    trace.sites.records[trace.sites.groups[group].record].fields.size() == 1);
  }
  return plain;
}

} // namespace

bool keepValues(const trace::Trace &trace, ReplaySample &sample) {
  bool any = false;
  for (KernelSample &kernel : sample.kernels) {
    const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
    const std::vector<bool> plain = plainSets(trace, sample, sets);
    for (Wave &wave : kernel.waves)
      for (WarpRun &run : wave.warps) {
        std::map<std::uint32_t, KeptElements> arrays;
        const auto kept = std::erase_if(run.bundles, [&](const Bundle &bundle) {
          const AccessSet &set = sets[bundle.accessSet];
          return plain[bundle.accessSet] &&
                 arrays[set.array].keeps(wave, bundle.pattern, set.reads != 0, set.writes != 0);
        });
        any |= kept != 0;
      }
  }
  return any;
}

} // namespace relayout::analysis
