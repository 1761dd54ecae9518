// SPDX-License-Identifier: Apache-2.0
// Elements of lanes: by one division where addresses rise evenly, else lane by lane.
#include "replay/stream/lane_mapping.h"

#include "relayout/analysis/gpu/geometry.h"

#include <algorithm>
#include <array>
#include <bit>

namespace relayout::analysis {
namespace {

/// See mapLanes().
constexpr std::uint32_t kDifferent = ~std::uint32_t{0};

/// Whether a byte of an element belongs to the field that the site accesses.
bool inField(const SiteFacts &facts, std::uint64_t within) {
  return facts.group == trace::kNone ||
         (within >= facts.fieldOffset && within < facts.fieldOffset + facts.fieldBytes);
}

/// Element of the array member, 0 where the field is none.
std::uint32_t laneAt(const SiteFacts &facts, std::uint64_t within) {
  return facts.count == 1
             ? 0
             : static_cast<std::uint32_t>((within - facts.fieldOffset) / facts.laneBytes);
}

/// Whether the active lanes' addresses rise by the stride from lane to lane.
bool risesEvenly(const trace::WarpAccess &access, std::int64_t stride) {
  const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
  const std::uint64_t base = access.addresses[first];
  bool follows = true;
  if (access.activeMask == 0xffffffffu) {
    for (unsigned i = 0; i < trace::kWarpLanes; ++i)
      follows &=
          access.addresses[i] == base + static_cast<std::uint64_t>(stride) * std::uint64_t{i};
  } else {
    for (std::uint32_t left = access.activeMask; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      follows &= access.addresses[i] == base + static_cast<std::uint64_t>(stride) * (i - first);
    }
  }
  return follows;
}

/// The common case: addresses that rise from lane to lane by whole elements.
bool mapAffine(const trace::WarpAccess &access, SiteFacts &facts, OpenBundle &bundle,
               std::uint32_t &lane) {
  if (!facts.split)
    return false;
  const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
  const std::uint64_t base = access.addresses[first];
  const std::uint32_t others = access.activeMask & (access.activeMask - 1);
  std::int64_t stride = 0;
  if (others != 0) {
    const auto second = static_cast<unsigned>(std::countr_zero(others));
    const auto rise = static_cast<std::int64_t>(access.addresses[second] - base);
    stride = access.isAffine       ? access.stride
             : second == first + 1 ? rise
                                   : rise / static_cast<std::int64_t>(second - first);
    const auto bytes = static_cast<std::int64_t>(facts.elementBytes);
    if (stride != facts.lastStride) {
      if (stride % bytes != 0 || stride / bytes != static_cast<std::int32_t>(stride / bytes))
        return false;
      facts.lastStride = stride;
      facts.lastElementStride = static_cast<std::int32_t>(stride / bytes);
    }
    if (!access.isAffine && !risesEvenly(access, stride))
      return false;
  }
  const auto last = kWarpThreads - 1 - static_cast<unsigned>(std::countl_zero(access.activeMask));
  for (const std::uint64_t end : {base, access.addresses[last]})
    if (end < facts.origin || end >= facts.range->end)
      return false;
  const std::uint64_t element = facts.elementAt(base - facts.origin);
  const std::uint64_t within = base - facts.origin - element * facts.elementBytes;
  if (!inField(facts, within))
    return false;
  lane = laneAt(facts, within);
  bundle.pattern.base = element;
  bundle.pattern.stride = others == 0 ? 0 : facts.lastElementStride;
  return true;
}

/// Sets the pattern of the lanes' elements: affine where they rise evenly.
/// \returns  false where they are too far apart
bool setPattern(std::uint32_t mask, const std::array<std::uint64_t, trace::kWarpLanes> &elements,
                std::uint64_t lowest, std::uint64_t highest, OpenBundle &bundle) {
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  if (highest - lowest > 0xffffffffu)
    return false;

  const std::uint32_t others = mask & (mask - 1);
  if (others != 0) {
    const auto second = static_cast<unsigned>(std::countr_zero(others));
    const auto rise = static_cast<std::int64_t>(elements[second] - elements[first]);
    const auto lanesApart = static_cast<std::int64_t>(second - first);
    const std::int64_t stride = rise / lanesApart;
    bool affine = rise % lanesApart == 0 && stride == static_cast<std::int32_t>(stride);
    for (std::uint32_t left = others; affine && left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      affine = elements[i] == elements[first] + static_cast<std::uint64_t>(stride) * (i - first);
    }
    if (affine) {
      bundle.pattern.base = elements[first];
      bundle.pattern.stride = static_cast<std::int32_t>(stride);
      return true;
    }
  } else {
    bundle.pattern.base = elements[first];
    return true;
  }
  bundle.pattern.base = lowest;
  bundle.pattern.offsets = 0;
  bundle.offsets.fill(0);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    bundle.offsets[i] = static_cast<std::uint32_t>(elements[i] - lowest);
  }
  return true;
}

/// Lane by lane. Elements that rise evenly though their addresses do not are affine as well, so
/// that equal elements always make equal patterns.
/// \param lane  of the array member, or kDifferent: the pattern is then in its elements
bool mapEachLane(const trace::WarpAccess &access, const SiteFacts &facts, OpenBundle &bundle,
                 std::uint32_t &lane) {
  std::array<std::uint64_t, trace::kWarpLanes> elements{};
  std::array<std::uint32_t, trace::kWarpLanes> lanes{};
  bool oneLane = facts.split;
  const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
  for (std::uint32_t left = access.activeMask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.addresses[i];
    if (address < facts.origin || address >= facts.range->end)
      return false;
    const std::uint64_t offset = address - facts.origin;
    elements[i] = facts.elementAt(offset);
    const std::uint64_t within = offset - elements[i] * facts.elementBytes;
    if (!inField(facts, within))
      return false;
    lanes[i] = laneAt(facts, within);
    oneLane = oneLane && lanes[i] == lanes[first];
  }
  lane = oneLane ? lanes[first] : kDifferent;
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  for (std::uint32_t left = access.activeMask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    if (!oneLane)
      elements[i] = elements[i] * facts.count + lanes[i];
    lowest = std::min(lowest, elements[i]);
    highest = std::max(highest, elements[i]);
  }
  return setPattern(access.activeMask, elements, lowest, highest, bundle);
}

} // namespace

bool mapLanes(const trace::WarpAccess &access, std::uint32_t site, SiteFacts &facts,
              OpenBundle &bundle) {
  bundle.pattern.mask = access.activeMask;
  std::uint32_t lane = 0; // element of the array member
  if (!mapAffine(access, facts, bundle, lane) && !mapEachLane(access, facts, bundle, lane))
    return false;
  std::uint64_t leaves = 1;
  if (facts.group == trace::kNone) {
    bundle.set.bytes = access.bytes;
  } else if (lane == kDifferent) {
    bundle.set.bytes = access.bytes;
    bundle.set.arrayField = facts.field;
  } else {
    leaves = facts.leaves;
    if (facts.count > 1) {
      // One access may take several elements, as vector types do.
      const std::uint32_t taken =
          std::clamp(access.bytes / std::max(facts.laneBytes, 1u), 1u, facts.count - lane);
      for (std::uint32_t k = 1; k < taken; ++k)
        leaves |= facts.leaves << k;
      leaves <<= lane;
    }
  }
  switch (facts.kind) {
  case trace::AccessKind::Read:
    bundle.set.reads = leaves;
    break;
  case trace::AccessKind::Write:
    bundle.set.writes = leaves;
    break;
  case trace::AccessKind::Atomic:
    bundle.set.atomics = leaves;
    break;
  }
  bundle.set.array = facts.array;
  bundle.set.registers = facts.kind == trace::AccessKind::Read ? registersFor(access.bytes) : 0;
  bundle.set.addSite(site);
  return true;
}

} // namespace relayout::analysis
