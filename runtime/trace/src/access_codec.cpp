// SPDX-License-Identifier: Apache-2.0
// Trace file: warp accesses to bytes and back; docs/trace-format.md has the encoding in words.
#include "access_codec.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace relayout::trace {
namespace {

enum Shape : std::uint8_t { kAffine = 0, kOffsets16 = 1, kOffsets32 = 2, kRaw = 3 };
constexpr std::uint8_t kShapeMask = 3;
// Each bit set says: as expected, nothing follows for it.
constexpr std::uint8_t kSameWarp = 1 << 2;
constexpr std::uint8_t kNextOrder = 1 << 3;
constexpr std::uint8_t kExpectedSite = 1 << 4;
constexpr std::uint8_t kSameMaskAndBytes = 1 << 5;
constexpr std::uint8_t kSameStride = 1 << 6;
constexpr std::uint8_t kSameBaseStep = 1 << 7;

template <class Visit> void forEachLane(std::uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1)
    visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// The stride by which the active lanes' addresses follow their lane numbers, if they do.
/// A single lane follows any, so it takes the expected one.
std::optional<std::uint64_t> affineStride(const WarpAccess &access, std::uint64_t expectedStride) {
  const unsigned first = static_cast<unsigned>(std::countr_zero(access.activeMask));
  const std::uint32_t others = access.activeMask & (access.activeMask - 1);
  if (others == 0)
    return expectedStride;
  const unsigned second = static_cast<unsigned>(std::countr_zero(others));
  const auto rise = static_cast<std::int64_t>(access.addresses[second] - access.addresses[first]);
  const auto lanes = static_cast<std::int64_t>(second - first);
  if (rise % lanes != 0)
    return std::nullopt;
  const auto stride = static_cast<std::uint64_t>(rise / lanes);
  bool holds = true;
  forEachLane(others, [&](unsigned lane) {
    holds = holds && access.addresses[lane] == access.addresses[first] + stride * (lane - first);
  });
  return holds ? std::optional(stride) : std::nullopt;
}

/// What the next access is expected to follow.
void expectAfter(const WarpAccess &access, AccessExpectation::OfSite &site,
                 AccessExpectation &expected) {
  site.mask = access.activeMask;
  site.bytes = access.bytes;
  expected.launch = access.launch;
  expected.block = access.block;
  expected.warp = access.warp;
  expected.site = access.site;
  expected.order = access.order;
}

/// The lowest address and the shape of addresses that follow no stride.
std::pair<std::uint64_t, Shape> offsetsOf(const WarpAccess &access) {
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  forEachLane(access.activeMask, [&](unsigned lane) {
    lowest = std::min(lowest, access.addresses[lane]);
    highest = std::max(highest, access.addresses[lane]);
  });
  return {lowest, highest - lowest <= 0xffff       ? kOffsets16
                  : highest - lowest <= 0xffffffff ? kOffsets32
                                                   : kRaw};
}

void encodeOffsets(const WarpAccess &access, std::uint64_t base, Shape shape, ByteSink &sink) {
  forEachLane(access.activeMask, [&](unsigned lane) {
    const std::uint64_t address = access.addresses[lane];
    if (shape == kOffsets16)
      sink.u16(static_cast<std::uint16_t>(address - base));
    else if (shape == kOffsets32)
      sink.u32(static_cast<std::uint32_t>(address - base));
    else
      sink.u64(address);
  });
}

void decodeAddresses(ByteSource &source, std::uint8_t tag, AccessExpectation::OfSite &site,
                     WarpAccess &access) {
  const std::uint8_t shape = tag & kShapeMask;
  const bool isFull = access.activeMask == 0xffffffffu;
  if (!isFull)
    access.addresses.fill(0);
  access.isAffine = shape == kAffine;
  if (!access.isAffine) {
    access.stride = 0;
    forEachLane(access.activeMask, [&](unsigned lane) {
      access.addresses[lane] = shape == kOffsets16   ? site.base + source.u16()
                               : shape == kOffsets32 ? site.base + source.u32()
                                                     : source.u64();
    });
    return;
  }
  if ((tag & kSameStride) == 0)
    site.stride = source.difference();
  access.stride = static_cast<std::int64_t>(site.stride);
  const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
  if (isFull) {
    std::uint64_t address = site.base; // no lane is asked for, so this takes a few cycles
    for (std::uint64_t &lane : access.addresses) {
      lane = address;
      address += site.stride;
    }
    return;
  }
  forEachLane(access.activeMask, [&](unsigned lane) {
    access.addresses[lane] = site.base + site.stride * (lane - first);
  });
}

} // namespace

void encode(const WarpAccess &access, AccessExpectation &expected, ByteSink &sink) {
  const std::uint32_t expectedSite = expected.of(expected.site).next;
  expected.of(expected.site).next = access.site;
  AccessExpectation::OfSite &site = expected.of(access.site);

  const bool sameWarp = access.launch == expected.launch && access.block == expected.block &&
                        access.warp == expected.warp;
  const std::uint64_t nextOrder = sameWarp ? expected.order + 1 : 0;

  const std::optional<std::uint64_t> stride = affineStride(access, site.stride);
  const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
  const auto [base, shape] =
      stride ? std::pair(access.addresses[first], kAffine) : offsetsOf(access);

  std::uint8_t tag = shape;
  if (sameWarp)
    tag |= kSameWarp;
  if (access.order == nextOrder)
    tag |= kNextOrder;
  if (access.site == expectedSite)
    tag |= kExpectedSite;
  if (access.activeMask == site.mask && access.bytes == site.bytes)
    tag |= kSameMaskAndBytes;
  if (stride && *stride == site.stride)
    tag |= kSameStride;
  if (base - site.base == site.baseStep)
    tag |= kSameBaseStep;

  sink.u8(tag);
  if (!sameWarp) {
    sink.difference(std::uint64_t{access.launch} - expected.launch);
    sink.difference(std::uint64_t{access.block} - expected.block);
    sink.difference(std::uint64_t{access.warp} - expected.warp);
  }
  if ((tag & kNextOrder) == 0)
    sink.difference(access.order - nextOrder);
  if ((tag & kExpectedSite) == 0)
    sink.varint(access.site);
  if ((tag & kSameMaskAndBytes) == 0) {
    sink.u32(access.activeMask);
    sink.varint(access.bytes);
  }
  if ((tag & kSameBaseStep) == 0)
    sink.difference(base - site.base);
  if (stride) {
    if ((tag & kSameStride) == 0)
      sink.difference(*stride);
    site.stride = *stride;
  } else {
    encodeOffsets(access, base, shape, sink);
  }
  site.baseStep = base - site.base;
  site.base = base;
  expectAfter(access, site, expected);
}

bool decode(ByteSource &source, AccessExpectation &expected, WarpAccess &access) {
  const std::uint8_t tag = source.u8();
  const auto shifted32 = [&source](std::uint32_t from) {
    return static_cast<std::uint32_t>(from + source.difference());
  };

  access.launch = expected.launch;
  access.block = expected.block;
  access.warp = expected.warp;
  std::uint64_t nextOrder = expected.order + 1;
  if ((tag & kSameWarp) == 0) {
    access.launch = shifted32(expected.launch);
    access.block = shifted32(expected.block);
    access.warp = shifted32(expected.warp);
    nextOrder = 0;
  }
  access.order = nextOrder;
  if ((tag & kNextOrder) == 0)
    access.order += source.difference();
  access.site = expected.of(expected.site).next;
  if ((tag & kExpectedSite) == 0)
    access.site = source.varint32();
  expected.of(expected.site).next = access.site;
  AccessExpectation::OfSite &site = expected.of(access.site);

  access.activeMask = site.mask;
  access.bytes = site.bytes;
  if ((tag & kSameMaskAndBytes) == 0) {
    access.activeMask = source.u32();
    access.bytes = source.varint32();
  }
  if ((tag & kSameBaseStep) == 0)
    site.baseStep = source.difference();
  site.base += site.baseStep;
  if (!source.ok() || access.activeMask == 0)
    return false;

  decodeAddresses(source, tag, site, access);
  expectAfter(access, site, expected);
  return source.ok();
}

} // namespace relayout::trace
