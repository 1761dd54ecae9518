// SPDX-License-Identifier: Apache-2.0
// Shortens waves, then thins them out.
#include "replay/stream/wave_store.h"

#include <algorithm>

namespace relayout::analysis {
namespace {

std::uint64_t bundlesOf(const Wave &wave) {
  std::uint64_t bundles = 0;
  for (const WarpRun &run : wave.warps)
    bundles += run.bundles.size();
  return bundles;
}

/// Of what is kept of a warp, one in so many bundles is at its end.
constexpr std::uint64_t kAtEnd = 8;

/// Takes bundles out of the middle of long warps so that about `most` are left: what a warp does at
/// its end, it often does nowhere else.
void shorten(Wave &wave, std::uint64_t most) {
  std::uint64_t longest = 0;
  for (const WarpRun &run : wave.warps)
    longest = std::max<std::uint64_t>(longest, run.bundles.size());
  std::uint64_t low = 1;
  std::uint64_t high = longest;
  while (low < high) { // the longest cut that fits
    const std::uint64_t cut = low + (high - low + 1) / 2;
    std::uint64_t bundles = 0;
    for (const WarpRun &run : wave.warps)
      bundles += std::min<std::uint64_t>(run.bundles.size(), cut);
    if (bundles <= most)
      low = cut;
    else
      high = cut - 1;
  }
  Wave kept;
  kept.kernel = wave.kernel;
  kept.launch = wave.launch;
  kept.warpAccesses = wave.warpAccesses;
  for (const WarpRun &run : wave.warps) {
    WarpRun &copy = kept.warps.emplace_back(WarpRun{run.block, run.warp, {}});
    for (std::size_t i = 0; i < run.bundles.size(); ++i) {
      if (run.bundles.size() > low && i >= low - low / kAtEnd &&
          i + low / kAtEnd < run.bundles.size())
        continue;
      Bundle &bundle = copy.bundles.emplace_back(run.bundles[i]);
      if (bundle.pattern.offsets != LanePattern::kAffine) {
        kept.offsets.push_back(wave.offsets[bundle.pattern.offsets]);
        bundle.pattern.offsets = static_cast<std::uint32_t>(kept.offsets.size() - 1);
      }
    }
  }
  wave = std::move(kept);
}

} // namespace

void WaveStore::add(Wave &&wave, std::uint64_t share) {
  if (seen_++ % stride_ != 0)
    return;
  if (bundlesOf(wave) > share / 2)
    shorten(wave, share / 2);
  bundles_ += bundlesOf(wave);
  waves_.push_back(std::move(wave));
  while (bundles_ > share && waves_.size() > 1) {
    std::vector<Wave> kept;
    bundles_ = 0;
    for (std::size_t i = 0; i < waves_.size(); i += 2) {
      bundles_ += bundlesOf(waves_[i]);
      kept.push_back(std::move(waves_[i]));
    }
    waves_ = std::move(kept);
    stride_ *= 2;
  }
}

} // namespace relayout::analysis
