// SPDX-License-Identifier: Apache-2.0
// Strides between lanes, and the extents that go with them.
#include "replay/search/element_orders.h"

#include "replay/search/known_extents.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <utility>

namespace relayout::analysis {
namespace {

/// How often a distance was seen, by distance.
using Distances = std::map<std::uint64_t, std::uint64_t>;

/// Strides between lanes that are tried, and extents for each.
constexpr std::size_t kStrides = 2;
constexpr std::size_t kExtents = 2; ///< of each kind
/// Strides that fewer accesses have are not worth an order.
constexpr double kLeastPart = 0.05;
/// Distances that fewer pairs of accesses have are no extents.
constexpr double kLeastOfExtents = 0.01;
/// Accesses of a warp among which distances are taken.
constexpr std::size_t kWindow = 8;

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

/// The commonest difference between lanes next to each other; 0 where no two are active.
std::uint64_t laneStride(const Wave &wave, const LanePattern &pattern) {
  if (std::popcount(pattern.mask) < 2)
    return 0;
  if (pattern.offsets == LanePattern::kAffine)
    return static_cast<std::uint64_t>(std::abs(std::int64_t{pattern.stride}));
  Distances steps;
  const auto &offsets = wave.offsets[pattern.offsets];
  for (unsigned lane = 0; lane + 1 < trace::kWarpLanes; ++lane)
    if ((pattern.mask >> lane & pattern.mask >> (lane + 1) & 1) != 0)
      ++steps[distance(offsets[lane], offsets[lane + 1])];
  if (steps.empty())
    return 0;
  const auto most = std::ranges::max_element(steps, {}, &Distances::value_type::second);
  return most->second * 2 > static_cast<std::uint64_t>(std::popcount(pattern.mask)) ? most->first
                                                                                    : 0;
}

/// What the accesses of one group show.
class Walk {
public:
  Walk(const ReplaySample &sample, trace::Index group) : sample_(sample), group_(group) {
    for (const KernelSample &kernel : sample.kernels)
      for (const Wave &wave : kernel.waves)
        for (const WarpRun &run : wave.warps)
          follow(wave, run, sample.stream.kernels[kernel.kernel].accessSets);
  }

  /// The most frequent strides between lanes but 0 and 1.
  [[nodiscard]] std::vector<std::uint64_t> strides() const {
    return mostFrequent(strides_, kStrides, kLeastPart * static_cast<double>(bundles_));
  }

  /// Distances that are multiples of a stride: between blocks; where those are none, within warps.
  [[nodiscard]] std::vector<std::uint64_t> above(std::uint64_t stride) const {
    const auto isAbove = [stride](std::uint64_t distance) {
      return distance > stride && distance % stride == 0;
    };
    std::vector<std::uint64_t> extents = fitting(betweenBlocks_, isAbove);
    return extents.empty() ? fitting(withinWarps_, isAbove) : extents;
  }

  /// Distances within warps that divide a stride.
  [[nodiscard]] std::vector<std::uint64_t> below(std::uint64_t stride) const {
    return fitting(withinWarps_, [stride](std::uint64_t distance) {
      return distance > 1 && distance < stride && stride % distance == 0;
    });
  }

private:
  template <class Fits>
  static std::vector<std::uint64_t> fitting(const Distances &distances, Fits fits) {
    Distances chosen;
    std::uint64_t all = 0;
    for (const auto &[distance, count] : distances) {
      all += count;
      if (fits(distance))
        chosen[distance] = count;
    }
    return mostFrequent(chosen, kExtents, kLeastOfExtents * static_cast<double>(all));
  }

  void follow(const Wave &wave, const WarpRun &run, const std::vector<AccessSet> &sets) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> last; // elements by array
    std::map<std::uint32_t, bool> isSeen;                     // by access set
    for (const Bundle &bundle : run.bundles) {
      const AccessSet &set = sets[bundle.accessSet];
      if (sample_.stream.arrays[set.array].group != group_ || set.arrayField != trace::kNone)
        continue;
      ++bundles_;
      if (const std::uint64_t stride = laneStride(wave, bundle.pattern); stride > 1)
        ++strides_[stride];
      noteDistances(bundle.pattern.base, last[set.array]);
      if (!std::exchange(isSeen[bundle.accessSet], true))
        noteBlock(run, bundle);
    }
  }

  void noteDistances(std::uint64_t element, std::vector<std::uint64_t> &window) {
    for (const std::uint64_t other : window)
      if (const std::uint64_t apart = distance(element, other); apart > 1)
        ++withinWarps_[apart];
    if (window.size() == kWindow)
      window.erase(window.begin());
    window.push_back(element);
  }

  /// How far the first accesses of one warp in adjacent blocks are apart, and of adjacent warps.
  void noteBlock(const WarpRun &run, const Bundle &bundle) {
    const auto [before, isNew] =
        firsts_.try_emplace({bundle.accessSet, run.warp}, run.block, bundle.pattern.base);
    if (!isNew && before->second.first + 1 == run.block)
      ++betweenBlocks_[distance(before->second.second, bundle.pattern.base)];
    before->second = {run.block, bundle.pattern.base};
  }

  static std::vector<std::uint64_t> mostFrequent(const Distances &counts, std::size_t most,
                                                 double least) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> byCount;
    for (const auto &[value, count] : counts)
      if (static_cast<double>(count) >= least)
        byCount.emplace_back(count, value);
    std::ranges::stable_sort(byCount, std::ranges::greater{},
                             &std::pair<std::uint64_t, std::uint64_t>::first);
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < std::min(most, byCount.size()); ++i)
      values.push_back(byCount[i].second);
    return values;
  }

  const ReplaySample &sample_;
  trace::Index group_;
  std::uint64_t bundles_ = 0;
  Distances strides_;
  Distances withinWarps_;
  Distances betweenBlocks_;
  /// By access set and warp: the last block, and where it began.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint64_t>>
      firsts_;
};

} // namespace

std::vector<ElementOrder> elementOrders(const trace::Trace &trace, const ReplaySample &sample,
                                        trace::Index group) {
  const Walk walk(sample, group);
  std::vector<ElementOrder> orders;
  for (const std::uint64_t stride : walk.strides()) {
    // The lanes' digit reaches to the end of the array.
    orders.push_back({{stride}, {1, 0}});
    for (const std::uint64_t upper : walk.above(stride))
      orders.push_back({{stride, upper / stride}, {1, 0, 2}});
    for (const std::uint64_t lower : walk.below(stride))
      orders.push_back({{lower, stride / lower}, {2, 1, 0}});
  }
  const KnownExtents known(trace, sample, group);
  std::erase_if(orders, [&known](ElementOrder &order) { return !known.name(order); });
  return orders;
}

} // namespace relayout::analysis
