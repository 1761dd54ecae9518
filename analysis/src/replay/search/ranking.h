// SPDX-License-Identifier: Apache-2.0
// Policy replay: the order of candidates, and which of near-equal ones is chosen.
#pragma once

#include "relayout/analysis/replay/search/candidate.h"
#include "replay/search/element_orders.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// What a reader has to understand of a layout, the most demanding first: the plainest is one
/// struct, then one in another order, one field a cluster, clusters; then tiles, pads, explosions,
/// and elements in another order, the nearer together in time the nearer in memory.
struct Complexity {
  bool movesBlocks = false; ///< an order of elements takes the highest digit from its place
  std::uint64_t pages = 0;  ///< of an order of elements, as TriedOrder has them
  std::size_t digits = 0;   ///< of an order of elements
  bool isExploded = false;
  std::uint64_t padBytes = 0;
  bool isTiled = false;
  bool isClustered = false;
  bool isSplit = false;
  bool isReordered = false;

  auto operator<=>(const Complexity &) const = default;
  /// Tiles, pads and explosions: no gain of them may rest on the size of the run.
  [[nodiscard]] bool hasToWinAtEverySize() const { return isExploded || padBytes != 0 || isTiled; }
};

[[nodiscard]] Complexity complexityOf(const Layout &layout,
                                      const std::vector<TriedOrder> &orders = {});

/// Faster at the size where it gains least, or as fast and plainer, or else wider aligned.
[[nodiscard]] bool ranksBefore(const Candidate &a, const Candidate &b);

/// Whether it is no slower than the source, as far as the model can tell, at the sizes beside the
/// one that is asked for.
[[nodiscard]] bool holdsAtOtherSizes(const Candidate &candidate);

/// Whether the whole interval of the ratio to the source is below 1 at the size that is asked for,
/// and no kernel lacks registers.
[[nodiscard]] bool wins(const Candidate &candidate);

/// Of planes it is not sure what caches keep of them in a larger run. Clusters that ask no more of
/// anything than one struct, at any size, are as sure as that one.
/// \param candidates  all on one sample
void trustAsStructs(std::vector<Candidate> &candidates);

/// The same of an earlier decision on that sample, with other registers.
void trustAsEarlier(std::vector<Candidate> &candidates, const std::vector<Candidate> &earlier);

/// The plainest candidate among those next to the fastest; of equally plain ones the best.
/// \param sorted  by ranksBefore(), not empty
/// \param orders  of elements, of which the candidates have some
[[nodiscard]] const Candidate &plainestOfBest(const std::vector<Candidate> &sorted,
                                              const std::vector<TriedOrder> &orders = {});

} // namespace relayout::analysis
