// SPDX-License-Identifier: Apache-2.0
// Strides between lanes, and the extents that go with them.
#include "replay/search/element_orders.h"

#include "relayout/analysis/gpu/geometry.h"
#include "relayout/analysis/layout/layout.h"
#include "replay/search/known_extents.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
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
/// Accesses that a warp makes shortly after one another: about as many as it may have in flight.
constexpr std::size_t kShortTime = 32;
/// Orders of a group: bounds the search.
constexpr std::size_t kMostOrders = 16;

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
    for (const KernelSample &kernel : sample.kernels) {
      firsts_.clear();
      for (const Wave &wave : kernel.waves) {
        std::vector<std::vector<std::uint64_t>> windows;
        for (const WarpRun &run : wave.warps)
          follow(wave, run, sample.stream.kernels[kernel.kernel].accessSets, windows);
        std::ranges::move(windows, std::back_inserter(windows_));
      }
    }
    for (std::vector<std::uint64_t> &window : windows_) {
      std::ranges::sort(window);
      window.erase(std::ranges::unique(window).begin(), window.end());
    }
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

  /// By digit, how many values it takes within a short time, on average.
  /// \param extents  of all digits but the highest
  [[nodiscard]] std::vector<double> values(const std::vector<std::uint64_t> &extents) const {
    std::vector<double> values;
    std::uint64_t lower = 1;
    for (std::size_t d = 0; d <= extents.size(); ++d) {
      values.push_back(distinct([&](std::uint64_t element) {
        return d < extents.size() ? element / lower % extents[d] : element / lower;
      }));
      lower *= d < extents.size() ? extents[d] : 1;
    }
    return values;
  }

  /// Pages that an SM accesses within a short time, on average, if all extents that are no
  /// constants are as much larger as makes an array `scale` times as long.
  [[nodiscard]] double pages(const ElementOrder &order, double scale,
                             std::uint64_t elementBytes) const {
    const double growth = std::pow(scale, 1.0 / (1 + namesOf(order)));
    std::vector<double> strides(order.digits.size()); // places
    double stride = 1;
    for (const std::uint32_t digit : order.digits) {
      strides[digit] = stride;
      if (digit < order.extents.size())
        stride *=
            static_cast<double>(order.extents[digit]) * std::pow(growth, namesOf(order, digit));
      else
        stride *= growth * static_cast<double>(highestExtent(order));
    }
    // Of an extent that is a product, the values grow with all factors but the fastest.
    for (std::size_t d = 0; d < order.extents.size(); ++d)
      strides[d] *= std::pow(growth, std::max(namesOf(order, d) - 1, 0));
    return distinct([&](std::uint64_t element) {
      double place = 0;
      for (std::size_t d = 0; d < order.extents.size(); ++d) {
        place += strides[d] * static_cast<double>(element % order.extents[d]);
        element /= order.extents[d];
      }
      place += strides.back() * static_cast<double>(element);
      return static_cast<std::uint64_t>(place * static_cast<double>(elementBytes)) / kPageBytes;
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

  /// \param windows  the elements that the wave's warps access within each short time
  void follow(const Wave &wave, const WarpRun &run, const std::vector<AccessSet> &sets,
              std::vector<std::vector<std::uint64_t>> &windows) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> last; // elements by array
    std::map<std::uint32_t, bool> isSeen;                     // by access set
    std::size_t accesses = 0;
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
      windows.resize(std::max(windows.size(), accesses / kShortTime + 1));
      windows[accesses++ / kShortTime].push_back(bundle.pattern.base);
    }
  }

  /// Different values of a function of elements within a short time, on average.
  template <class Of> [[nodiscard]] double distinct(Of of) const {
    double all = 0;
    std::vector<std::uint64_t> taken;
    for (const std::vector<std::uint64_t> &window : windows_) {
      taken.clear();
      std::ranges::transform(window, std::back_inserter(taken), of);
      std::ranges::sort(taken);
      all += static_cast<double>(std::ranges::unique(taken).begin() - taken.begin());
    }
    return windows_.empty() ? 0 : all / static_cast<double>(windows_.size());
  }

  /// Variables whose product an extent is, beside constants; of all extents but the highest.
  static int namesOf(const ElementOrder &order, std::size_t digit) {
    int names = 0;
    bool isFirst = true; // of a factor
    for (const unsigned char c : digit < order.texts.size() ? order.texts[digit] : std::string()) {
      names += isFirst && std::isalpha(c) != 0 ? 1 : 0;
      isFirst = c == '*' || (isFirst && c == ' ');
    }
    return names;
  }
  static int namesOf(const ElementOrder &order) {
    int names = 0;
    for (std::size_t digit = 0; digit < order.texts.size(); ++digit)
      names += namesOf(order, digit);
    return names;
  }

  [[nodiscard]] std::uint64_t highestExtent(const ElementOrder &order) const {
    std::uint64_t last = 0, lower = 1;
    for (const std::vector<std::uint64_t> &window : windows_)
      last = std::max(last, window.back());
    for (const std::uint64_t extent : order.extents)
      lower *= extent;
    return last / lower + 1;
  }

  void noteDistances(std::uint64_t element, std::vector<std::uint64_t> &window) {
    for (const std::uint64_t other : window)
      if (const std::uint64_t apart = distance(element, other); apart > 1)
        ++withinWarps_[apart];
    if (window.size() == kWindow)
      window.erase(window.begin());
    window.push_back(element);
  }

  /// How far the first accesses of one warp in adjacent blocks are apart; of blocks with others
  /// between them, which were not sampled, the part for each.
  void noteBlock(const WarpRun &run, const Bundle &bundle) {
    const auto [before, isNew] =
        firsts_.try_emplace({bundle.accessSet, run.warp}, run.block, bundle.pattern.base);
    const std::uint64_t apart = distance(before->second.second, bundle.pattern.base);
    const std::uint64_t blocks = run.block - std::min(run.block, before->second.first);
    if (!isNew && blocks != 0 && apart % blocks == 0)
      ++betweenBlocks_[apart / blocks];
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
  std::vector<std::vector<std::uint64_t>> windows_; ///< elements of first lanes, each once
};

/// Elements from one value of a digit to the next, from the second digit on: each divides the next.
using Cuts = std::vector<std::uint64_t>;

/// None, one, or all of them if each divides the next.
std::vector<Cuts> chainsOf(std::vector<std::uint64_t> cuts) {
  std::vector<Cuts> chains{{}};
  for (const std::uint64_t cut : cuts)
    chains.push_back({cut});
  std::ranges::sort(cuts);
  bool isChain = cuts.size() > 1;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    isChain &= cuts[i] < cuts[i + 1] && cuts[i + 1] % cuts[i] == 0;
  if (isChain)
    chains.push_back(std::move(cuts));
  return chains;
}

/// The digit of the lanes first, the others from the one that takes the most values in a short time
/// to the one that takes the fewest.
/// \returns  nothing where fewer digits make the same order
std::optional<ElementOrder> orderOf(const Cuts &cuts, std::uint64_t stride, const Walk &walk) {
  ElementOrder order;
  std::uint64_t lower = 1;
  for (const std::uint64_t cut : cuts)
    order.extents.push_back(cut / std::exchange(lower, cut));
  const auto lanes = static_cast<std::uint32_t>(std::ranges::find(cuts, stride) - cuts.begin() + 1);
  for (std::uint32_t digit = 0; digit <= cuts.size(); ++digit)
    if (digit != lanes)
      order.digits.push_back(digit);
  if (cuts.size() == 2 && lanes == 2) {
    order.digits = {1, 0}; // else two digits would do
  } else if (cuts.size() > 2) {
    const std::vector<double> values = walk.values(order.extents);
    std::ranges::stable_sort(order.digits, std::ranges::greater{},
                             [&values](std::uint32_t digit) { return values[digit]; });
  }
  order.digits.insert(order.digits.begin(), lanes);
  for (std::size_t d = 0; d + 1 < order.digits.size(); ++d)
    if (order.digits[d] + 1 == order.digits[d + 1])
      return std::nullopt;
  return order;
}

/// Elements after which each plane of a record begins a line, whichever fields are in it.
std::uint32_t elementsOfALine(const trace::Record &record) {
  std::uint64_t elements = 1;
  for (const LayoutField &field : layoutFields(record)) {
    const std::uint64_t bytes = field.bytes / std::max(field.count, 1u);
    elements = std::lcm(elements, kLineBytes / std::gcd<std::uint64_t>(kLineBytes, bytes));
  }
  return static_cast<std::uint32_t>(elements);
}

/// Rows that begin where lines do, of what runs fastest in memory and is no shorter than one. An
/// extent that another run may have otherwise is rounded up even if this one's needs no pad.
/// \param multiple  elements of a line
void padRows(ElementOrder &order, std::uint64_t elements, std::uint32_t multiple) {
  const std::uint32_t fastest = order.digits.front();
  const bool isHighest = fastest == order.extents.size();
  const bool isConstant = !isHighest && !order.isNamed(fastest);
  std::uint64_t extent = isHighest ? elements : order.extents[fastest];
  for (std::size_t d = 0; isHighest && d < order.extents.size(); ++d)
    extent /= order.extents[d];
  if (extent < multiple || (isConstant && extent % multiple == 0))
    return;
  order.multiples.assign(order.digits.size(), 1);
  order.multiples[fastest] = multiple;
}

/// Elements of the shortest array that all others are a multiple of.
std::uint64_t elementsOf(const ReplaySample &sample, trace::Index group) {
  std::uint64_t elements = 0;
  for (const ReplayArray &array : sample.stream.arrays)
    if (array.group == group)
      elements = std::gcd(elements, array.elements);
  return elements;
}

/// Of orders that bring the same digit to the front, those with extents by chance give way to one
/// without.
void dropCoincidences(std::vector<TriedOrder> &orders, std::vector<TriedOrder>::iterator first) {
  const auto isByChance = [](const TriedOrder &tried) { return tried.coincidences != 0; };
  if (!std::all_of(first, orders.end(), isByChance))
    orders.erase(std::remove_if(first, orders.end(), isByChance), orders.end());
}

} // namespace

std::vector<TriedOrder> elementOrders(const trace::Trace &trace, const ReplaySample &sample,
                                      trace::Index group) {
  const Walk walk(sample, group);
  const KnownExtents known(trace, sample, group);
  const std::uint64_t elements = elementsOf(sample, group);
  const trace::Record &record = trace.sites.records[trace.sites.groups[group].record];
  const std::uint32_t line = elementsOfALine(record);
  std::vector<TriedOrder> orders;
  const auto add = [&](const ElementOrder &order) {
    const double pages = walk.pages(order, sample.run.elements, record.bytes);
    orders.push_back({order, static_cast<std::uint64_t>(std::llround(pages)),
                      known.coincidences(order, elements)});
  };
  for (const std::uint64_t stride : walk.strides()) {
    const auto firstOfStride = static_cast<std::ptrdiff_t>(orders.size());
    std::vector<std::uint64_t> below = walk.below(stride), above = walk.above(stride);
    if (above.empty())
      for (const std::uint64_t extent : known.named())
        if (elements / stride > extent && elements % (stride * extent) == 0)
          above.push_back(stride * extent);
    for (const Cuts &lower : chainsOf(below))
      for (const Cuts &upper : chainsOf(above)) {
        Cuts cuts = lower;
        cuts.push_back(stride);
        cuts.insert(cuts.end(), upper.begin(), upper.end());
        std::optional<ElementOrder> order = orderOf(cuts, stride, walk);
        if (!order || !known.name(*order) || orders.size() == kMostOrders)
          continue;
        padRows(*order, elements, line);
        add(*order);
      }
    dropCoincidences(orders, orders.begin() + firstOfStride);
  }
  std::set<std::uint64_t> rows;
  std::ranges::copy(known.named(), std::inserter(rows, rows.end()));
  std::ranges::copy(walk.above(1), std::inserter(rows, rows.end()));
  for (const std::uint64_t row : rows) { // as numbered, but for pads
    ElementOrder order{.extents = {row}, .digits = {0, 1}};
    if (row % line == 0 || elements % row != 0 || elements == row || !known.name(order) ||
        orders.size() == kMostOrders)
      continue;
    padRows(order, elements, line);
    if (!order.multiples.empty())
      add(order);
  }
  return orders;
}

bool lanesStandApart(const ReplaySample &sample, trace::Index group) {
  return !Walk(sample, group).strides().empty();
}

} // namespace relayout::analysis
