// SPDX-License-Identifier: Apache-2.0
// Ratios at the sizes that count, and how plain a layout is.
#include "replay/search/ranking.h"

#include "relayout/analysis/gpu/fit.h"

#include <algorithm>
#include <cmath>

namespace relayout::analysis {
namespace {

/// At the traced size, and with values kept, a layout has to hold only; it may gain at the others
/// alone.
double worst(const Candidate &candidate, double SizeOutcome::*value) {
  double worst = 0;
  for (const SizeOutcome &size : candidate.sizes)
    if (size.footprint == Footprint::Asked || size.footprint == Footprint::Spread)
      worst = std::max(worst, size.*value);
  return worst;
}

/// The worst ratio from one of the runs; 0: that run does not judge it.
double worstFrom(const Candidate &candidate, bool isOtherRun) {
  double worst = 0;
  for (const SizeOutcome &size : candidate.sizes)
    if ((size.footprint == Footprint::Asked || size.footprint == Footprint::Spread) &&
        size.isOfOtherRun == isOtherRun)
      worst = std::max(worst, size.ratio);
  return worst;
}

double highEnd(const SizeOutcome &size) { return size.ratio * (1 + size.error); }
double lowEnd(const SizeOutcome &size) { return size.ratio * (1 - size.error); }

bool isExtrapolated(const Candidate &candidate) {
  return std::ranges::any_of(
      candidate.sizes, [](const SizeOutcome &size) { return size.footprint == Footprint::Traced; });
}

/// How much slower than the fastest a plainer layout may be. What is the same in all of them does
/// not make them alike. Tiles, pads, explosions and orders have to gain more than the model may be
/// off; so does whatever is more than one field a cluster where the run is extrapolated. Planes of
/// one field have a locality of their own there, so what is said of them may be off as well.
double margin(const Candidate &fastest, const Candidate &plainer) {
  const double same = fastest.totalNs() > 0 ? fastest.otherNs / fastest.totalNs() : 0;
  const double near = fit::kIndistinguishable * (1 - same);
  const Complexity complexity = complexityOf(fastest.layout);
  if (!complexity.hasToWinAtEverySize() && complexity.digits == 0 &&
      !(complexity.isClustered && isExtrapolated(fastest)))
    return near;
  const bool haveTheirOwn =
      isExtrapolated(fastest) && complexity.digits == 0 && complexityOf(plainer.layout).isSplit;
  return std::max(near, std::hypot(fastest.error, haveTheirOwn ? plainer.error : 0));
}

/// Whether two layouts differ in the order of elements alone, which both change.
bool areOrdersOfOne(Layout a, const Layout &b) {
  if (a.order.isAsNumbered() || b.order.isAsNumbered())
    return false;
  a.order = b.order;
  return a == b;
}

/// Whether a plainer candidate may stand for the fastest. Two orders differ in what the model knows
/// least of, how far apart in memory concurrent accesses are, and a small run shows less of it;
/// what views may cost is the same in both.
bool isNear(const Candidate &candidate, const Candidate &fastest) {
  if (areOrdersOfOne(candidate.layout, fastest.layout)) {
    const double most = fastest.error - fit::kErrorOfOrders +
                        (isExtrapolated(fastest) ? fit::kErrorOfExtrapolation : 0);
    return candidate.sizes.front().ratio <= fastest.sizes.front().ratio * (1 + most);
  }
  // What is faster has to be so by the measure of each run.
  const double most = 1 + margin(fastest, candidate);
  const double there = worstFrom(candidate, /*isOtherRun=*/true);
  return worstFrom(candidate, /*isOtherRun=*/false) <=
             worstFrom(fastest, /*isOtherRun=*/false) * most ||
         (there > 0 && there <= worstFrom(fastest, /*isOtherRun=*/true) * most);
}

/// Whether a layout asks no more of any resource than another one, whatever binds.
bool asksNoMore(const Candidate &candidate, const Candidate &other) {
  const auto fits = [](double now, double before) {
    return now <= before * (1 + fit::kIndistinguishable);
  };
  for (std::size_t i = 0; i < std::min(candidate.sizes.size(), other.sizes.size()); ++i) {
    const Work &now = candidate.sizes[i].work;
    const Work &before = other.sizes[i].work;
    if (!fits(now.issueNs, before.issueNs) || !fits(now.l1Ns, before.l1Ns) ||
        !fits(now.l2Ns, before.l2Ns) || !fits(now.dramNs, before.dramNs) ||
        !fits(now.latencyNs, before.latencyNs))
      return false;
  }
  return true;
}

bool isOneStruct(const Candidate &candidate) {
  const Complexity complexity = complexityOf(candidate.layout);
  return !candidate.isSource && complexity.digits == 0 && !complexity.isSplit &&
         !complexity.isExploded;
}

/// Several planes, without tiles, pads, explosions and orders.
bool isPlanes(const Candidate &candidate) {
  const Complexity complexity = complexityOf(candidate.layout);
  return complexity.isSplit && !complexity.hasToWinAtEverySize() && complexity.digits == 0;
}

/// Planes some of which have several fields.
bool isClusters(const Candidate &candidate) {
  return isPlanes(candidate) && complexityOf(candidate.layout).isClustered;
}

/// Whether clusters are taken rather than a plainer layout that is near: they ask clearly less of
/// memory, and of nothing more, so that what binds the kernels need not be known.
bool isRatherThan(const Candidate &clusters, const Candidate &plainer) {
  return isClusters(clusters) && (isOneStruct(plainer) || isClusters(plainer)) && wins(clusters) &&
         worst(clusters, &SizeOutcome::rank) * (1 + fit::kIndistinguishable) <
             worst(plainer, &SizeOutcome::rank) &&
         asksNoMore(clusters, plainer);
}

/// Of clusters that are near, the fewest.
const Candidate &fewestClusters(const std::vector<Candidate> &sorted, const Candidate &chosen) {
  const Candidate *fewest = &chosen;
  if (isClusters(chosen))
    for (const Candidate &candidate : sorted)
      if (isClusters(candidate) &&
          candidate.layout.clusters.size() < fewest->layout.clusters.size() &&
          worst(candidate, &SizeOutcome::ratio) <=
              worst(chosen, &SizeOutcome::ratio) * (1 + fit::kIndistinguishable) &&
          !isRatherThan(chosen, candidate))
        fewest = &candidate;
  return *fewest;
}

void limitErrors(Candidate &candidate, const Candidate &other) {
  candidate.error = std::min(candidate.error, other.error);
  for (std::size_t i = 0; i < candidate.sizes.size(); ++i)
    candidate.sizes[i].error = std::min(candidate.sizes[i].error, other.sizes[i].error);
}

std::uint32_t widestAlignment(const Layout &layout) {
  std::uint32_t widest = 0;
  for (const Cluster &cluster : layout.clusters)
    widest = std::max(widest, cluster.alignment);
  return widest;
}

} // namespace

std::string nameOf(const SizeOutcome &size) {
  return std::string(footprintName(size.footprint)) +
         (size.isOfOtherRun ? ", from the run with other arguments" : "");
}

Complexity complexityOf(const Layout &layout, const std::vector<TriedOrder> &orders) {
  Complexity complexity;
  if (const auto tried = std::ranges::find(orders, layout.order, &TriedOrder::order);
      tried != orders.end())
    complexity.pages = tried->pages;
  complexity.digits = layout.order.digits.size();
  complexity.movesBlocks =
      complexity.digits != 0 && layout.order.digits.back() != layout.order.extents.size();
  complexity.padBytes = layout.padBytes;
  complexity.isTiled = layout.tile != 0;
  complexity.isSplit = layout.clusters.size() > 1;
  for (const Cluster &cluster : layout.clusters) {
    complexity.isExploded |= cluster.exploded;
    complexity.isClustered |= complexity.isSplit && cluster.fields.size() > 1;
    complexity.isReordered |= !std::ranges::is_sorted(cluster.fields);
  }
  return complexity;
}

bool ranksBefore(const Candidate &a, const Candidate &b) {
  const double rankA = worst(a, &SizeOutcome::rank);
  const double rankB = worst(b, &SizeOutcome::rank);
  if (rankA != rankB)
    return rankA < rankB;
  const auto order = complexityOf(a.layout) <=> complexityOf(b.layout);
  return order != 0 ? order < 0 : widestAlignment(a.layout) > widestAlignment(b.layout);
}

bool holdsAtOtherSizes(const Candidate &candidate) {
  const Complexity complexity = complexityOf(candidate.layout);
  // What small runs say of planes, and of lanes that stand side by side, is as far off as what is
  // extrapolated from them.
  const double allowance = fit::kErrorOfExtrapolation;
  return std::ranges::all_of(candidate.sizes, [&](const SizeOutcome &size) {
    if (size.footprint == Footprint::Asked && !size.isOfOtherRun)
      return true;
    // Whether a compiler reads elements again is not known; what they are in does not matter else.
    if (size.footprint == Footprint::Kept)
      return complexity.digits == 0 || highEnd(size) < 1;
    // A short run shows little of a gain; but what conversions cost it is known, and what an order
    // may lose is known from no other.
    if (size.footprint == Footprint::Itself)
      return complexity.digits == 0 ? size.ratio <= 1 + fit::kLeastGain : highEnd(size) < 1;
    // Nobody waits for the kernels of such a run. Of orders it is all that is known of few warps.
    if (size.footprint == Footprint::Traced && size.isLaunchBound && complexity.digits == 0)
      return true;
    if (size.footprint == Footprint::Asked || size.footprint == Footprint::Spread ||
        complexity.hasToWinAtEverySize())
      return highEnd(size) < 1;
    // One struct keeps the locality of the source, and machine code is the same at every size: what
    // these do at this one is no less sure.
    if ((!complexity.isSplit && complexity.digits == 0) || size.isByMachineCode)
      return size.ratio <= 1 + fit::kLeastGain;
    return lowEnd(size) - allowance * size.ratio <= 1;
  });
}

bool wins(const Candidate &candidate) {
  return !candidate.isSource && candidate.spillsIn.empty() &&
         highEnd(candidate.sizes.front()) < 1 &&
         candidate.sizes.front().ratio <= 1 - fit::kLeastGain;
}

void trustAsStructs(std::vector<Candidate> &candidates) {
  for (Candidate &planes : candidates)
    for (const Candidate &whole : candidates)
      if (isPlanes(planes) && isOneStruct(whole) && planes.error > whole.error &&
          planes.totalNs() <= whole.totalNs() && asksNoMore(planes, whole))
        limitErrors(planes, whole);
}

void trustAsEarlier(std::vector<Candidate> &candidates, const std::vector<Candidate> &earlier) {
  for (Candidate &candidate : candidates)
    for (const Candidate &known : earlier)
      if (isPlanes(candidate) && candidate.layout == known.layout &&
          candidate.sizes.size() == known.sizes.size())
        limitErrors(candidate, known);
}

const Candidate &plainestOfBest(const std::vector<Candidate> &sorted,
                                const std::vector<TriedOrder> &orders) {
  const Candidate &fastest = sorted.front();
  const Candidate *plainest = &fastest;
  for (const Candidate &candidate : sorted)
    if (isNear(candidate, fastest) &&
        complexityOf(candidate.layout, orders) < complexityOf(plainest->layout, orders))
      plainest = &candidate;
  if (const auto clusters = std::ranges::find_if(
          sorted,
          [plainest](const Candidate &candidate) { return isRatherThan(candidate, *plainest); });
      isOneStruct(*plainest) && clusters != sorted.end())
    plainest = &*clusters;
  return fewestClusters(sorted, *plainest);
}

} // namespace relayout::analysis
