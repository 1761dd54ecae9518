// SPDX-License-Identifier: Apache-2.0
// Policy replay: a bundle while accesses still join it.
#pragma once

#include "relayout/analysis/replay/stream/warp_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace relayout::analysis {

/// An access set being put together; of its sites the first ones, which is nearly always all.
struct OpenSet {
  static constexpr std::size_t kMostSites = 20;
  std::uint32_t array = 0;
  std::uint32_t bytes = 0;
  std::uint32_t arrayField = trace::kNone;
  std::uint32_t siteCount = 0;
  bool storesApart = false;
  bool hasStored = false;      ///< since its last load
  std::uint32_t lateWaits = 0; ///< see AccessSet
  std::uint32_t registers = 0; ///< that its loads fill
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t atomics = 0;
  std::uint64_t lateReads = 0;                   ///< see AccessSet
  std::array<std::uint32_t, kMostSites> sites{}; ///< ascending

  void addSite(std::uint32_t site) {
    const auto end = sites.begin() + siteCount;
    const auto at = std::lower_bound(sites.begin(), end, site);
    if ((at != end && *at == site) || siteCount == kMostSites)
      return;
    std::copy_backward(at, end, end + 1);
    *at = site;
    ++siteCount;
  }
  [[nodiscard]] bool isEmpty() const { return siteCount == 0; }
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t mixed = array * 0x9e3779b97f4a7c15u + bytes;
    const auto mix = [&mixed](std::uint64_t value) {
      mixed = (mixed ^ value) * 0xd6e8feb86659fd93u;
      mixed ^= mixed >> 32;
    };
    constexpr std::uint64_t kApart = std::uint64_t{1} << 32;
    mix(arrayField + (storesApart ? kApart : 0));
    mix(reads);
    mix(writes);
    mix(atomics);
    mix(lateReads);
    mix(lateWaits);
    for (std::uint32_t i = 0; i < siteCount; ++i)
      mix(sites[i]);
    return mixed;
  }
  [[nodiscard]] AccessSet closed() const {
    return {
        array,      reads,     writes,    atomics,     bytes,
        arrayField, lateReads, lateWaits, storesApart, {sites.begin(), sites.begin() + siteCount}};
  }
};

struct OpenBundle {
  LanePattern pattern;
  OpenSet set;
  std::uint64_t held = 0;    ///< leaves that earlier regions read or wrote: still in registers
  bool startsRegion = false; ///< the first of one
  std::array<std::uint32_t, trace::kWarpLanes> offsets; ///< meaningless in an affine pattern
};

} // namespace relayout::analysis
