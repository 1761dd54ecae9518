// SPDX-License-Identifier: Apache-2.0
// Runs of the DRAM granules that one block touches.
#include "replay/memory/granule_set.h"

#include "relayout/analysis/gpu/fit.h"

#include <algorithm>
#include <cmath>

namespace relayout::analysis {
namespace {

std::uint64_t rowOf(std::uint64_t granule, const TiledPlane &tiled, std::uint32_t rowBytes) {
  const std::uint64_t address = granule << kGranuleShift;
  if (tiled.tileBytes == 0)
    return address / rowBytes;
  const std::uint64_t offset = address - tiled.plane;
  return (tiled.start + offset / tiled.tileBytes * tiled.blockBytes + offset % tiled.tileBytes) /
         rowBytes;
}

} // namespace

void GranuleSet::compact() {
  std::ranges::sort(granules_);
  granules_.erase(std::ranges::unique(granules_).begin(), granules_.end());
  while (granules_.size() > kMostGranules / 2) {
    ++thinning_;
    std::erase_if(granules_, [this](std::uint64_t granule) { return !keeps(granule); });
  }
}

void GranuleSet::flush(std::vector<ArrayTraffic> &arrays, const Machine &machine,
                       const std::vector<TiledPlane> &planes, IsolatedRows &rows) {
  std::ranges::sort(granules_);
  granules_.erase(std::ranges::unique(granules_).begin(), granules_.end());
  // A sparse run that is longer fits no cache: its granules are scattered.
  const std::uint64_t scatteredExtent = machine.l2ScatteredBytes / kGranuleBytes;
  constexpr unsigned kArrayOfGranule = kArrayShift - kGranuleShift;
  const auto weight = static_cast<double>(std::uint64_t{1} << thinning_);

  for (std::size_t begin = 0; begin < granules_.size();) {
    const std::uint64_t array = (granules_[begin] >> kArrayOfGranule) - 1;
    std::size_t end = begin;
    while (end < granules_.size() && (granules_[end] >> kArrayOfGranule) - 1 == array)
      ++end;
    if (array >= arrays.size())
      arrays.resize(array + 1);
    ArrayTraffic &traffic = arrays[array];
    const TiledPlane tiled = array < planes.size() ? planes[array] : TiledPlane{};
    traffic.firstGranule = std::min(traffic.firstGranule, granules_[begin]);
    traffic.lastGranule = std::max(traffic.lastGranule, granules_[end - 1]);

    traffic.span += static_cast<double>(granules_[end - 1] - granules_[begin] + 1);
    std::uint64_t shortRuns = 0;
    const auto forEachRun = [&](auto visit) {
      for (std::size_t first = begin; first < end;) {
        std::size_t last = first + 1;
        while (last < end && granules_[last] - granules_[last - 1] <= fit::kRunGapGranules)
          ++last;
        visit(first, last, granules_[last - 1] - granules_[first] + 1);
        first = last;
      }
    };
    forEachRun([&](std::size_t, std::size_t, std::uint64_t extent) {
      shortRuns += extent <= fit::kIsolatedGranules ? 1 : 0;
    });
    forEachRun([&](std::size_t first, std::size_t last, std::uint64_t extent) {
      const std::size_t touched = last - first;
      traffic.touched += weight * static_cast<double>(touched);
      traffic.touchedInRuns += weight * static_cast<double>(touched) * static_cast<double>(touched);
      const double density = static_cast<double>(touched) / static_cast<double>(extent);
      const bool isShort = extent <= fit::kIsolatedGranules && shortRuns > fit::kScatteredRuns;
      const bool isSparse = extent > scatteredExtent && density < fit::kSparse;
      if (isShort || isSparse) {
        traffic.isolatedGranules += weight * static_cast<double>(touched);
        for (std::size_t i = first; i < last; ++i)
          rows_.push_back(rowOf(granules_[i], tiled, machine.architecture.rowBytes));
      } else
        // The extent is such that extent * class / kDensityClasses is exactly what was touched.
        if (const auto part = std::max(1l, std::lround(density * kDensityClasses)); true)
          traffic.extentByDensity[static_cast<std::size_t>(part)] +=
              weight * static_cast<double>(touched) * kDensityClasses / static_cast<double>(part);
    });
    begin = end;
  }
  rows.granules += weight * static_cast<double>(rows_.size());
  std::ranges::sort(rows_);
  rows.rows += weight * static_cast<double>(rows_.size() - std::ranges::unique(rows_).size());
  rows_.clear();
  granules_.clear();
  recent_.fill(0);
  thinning_ = 0;
}

} // namespace relayout::analysis
