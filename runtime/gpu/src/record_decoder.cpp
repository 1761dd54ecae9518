// SPDX-License-Identifier: Apache-2.0
// GPU tracing: address records as kernels wrote them, to warp accesses.
#include "relayout/gpu/record_decoder.h"

#include "relayout/device/buffers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

namespace relayout::gpu {
namespace {

using namespace relayout::device;

template <class Value> Value load(std::span<const std::byte> bytes, std::size_t at) {
  Value value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Shape shapeOf(const AccessHead &head) { return static_cast<Shape>(head.tag >> 29 & 3); }
std::uint32_t warpOf(const AccessHead &head) { return head.tag >> 24 & 31; }

std::size_t sizeOf(const AccessHead &head) {
  constexpr std::size_t kLaneBytes[] = {0, 2, 4, 8};
  const std::size_t payload =
      kLaneBytes[static_cast<std::size_t>(shapeOf(head))] * std::popcount(head.mask);
  return kHeadBytes + (payload + kGranuleBytes - 1) / kGranuleBytes * kGranuleBytes;
}

/// The buffer, of which one piece at a time is here.
class Pieces {
public:
  Pieces(std::size_t bufferBytes, const CopyBytes &copy) : bytes_(bufferBytes), copy_(copy) {}

  [[nodiscard]] std::size_t size() const { return bytes_; }
  [[nodiscard]] bool hasFailed() const { return hasFailed_; }

  /// \param at, count  inside the buffer, count at most kPieceBytes; zeros after a failure
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t at, std::size_t count) {
    if (at < begin_ || at + count > begin_ + piece_.size()) {
      piece_.assign(std::min(kPieceBytes, bytes_ - at), std::byte{0});
      begin_ = at;
      hasFailed_ = hasFailed_ || !copy_(at, piece_);
      if (hasFailed_)
        std::ranges::fill(piece_, std::byte{0});
    }
    return std::span(piece_).subspan(at - begin_, count);
  }
  template <class Value> [[nodiscard]] Value value(std::size_t at) {
    return load<Value>(bytes(at, sizeof(Value)), 0);
  }

private:
  const std::size_t bytes_;
  const CopyBytes &copy_;
  std::size_t begin_ = 0;
  std::vector<std::byte> piece_;
  bool hasFailed_ = false;
};

/// The records of one warp: they fill its buffer from the start; the header is the buffer's end.
void indexBuffer(Pieces &buffer, const BlockHead &block, std::uint32_t warp, std::size_t at,
                 std::size_t end, RecordIndex &index) {
  end -= sizeof(BufferHeader);
  const std::size_t firstPlace = index.places.size(), firstByte = index.records.size();
  std::uint32_t order = 0;
  for (; at + kHeadBytes <= end; ++order) {
    const auto head = buffer.value<AccessHead>(at);
    if (head.tag == 0)
      break;
    const std::size_t size = sizeOf(head);
    if ((head.tag & kAccessTag) == 0 || head.mask == 0 || warpOf(head) != warp || at + size > end) {
      ++index.damaged;
      break;
    }
    const std::uint32_t elapsed = head.clock - static_cast<std::uint32_t>(block.clock);
    index.places.push_back({block.grid, block.block, warp, order,
                            static_cast<std::uint32_t>(index.records.size() / kGranuleBytes),
                            block.clock + elapsed});
    const std::span<const std::byte> record = buffer.bytes(at, size);
    index.records.insert(index.records.end(), record.begin(), record.end());
    at += size;
  }
  const auto header = buffer.value<BufferHeader>(end);
  if (header.mixed != 0) {
    ++index.damaged;
    index.places.resize(firstPlace);
    index.records.resize(firstByte);
  }
  for (std::size_t i = firstPlace; i < index.places.size(); ++i)
    index.places[i].cut = header.next == kNoRoom;
}

} // namespace

std::optional<RecordIndex> indexRecords(std::size_t bufferBytes, const CopyBytes &copy,
                                        const std::function<bool(std::uint64_t grid)> &isKept) {
  Pieces buffer(bufferBytes, copy);
  RecordIndex index;
  for (std::size_t at = 0; at + kHeadBytes <= buffer.size();) {
    const auto block = buffer.value<BlockHead>(at);
    const std::size_t room = std::size_t{block.warpGranules} * kGranuleBytes;
    const std::size_t next = at + kHeadBytes + block.warps * room;
    if (block.tag != kBlockTag || block.warps > kMostWarps || room < sizeof(BufferHeader) ||
        next > buffer.size()) {
      // A block that took room and did not come to write its head, or the end of the buffer.
      if (block.tag != 0)
        ++index.damaged;
      at += kGranuleBytes;
      continue;
    }
    for (std::uint32_t warp = 0; warp < block.warps && isKept(block.grid); ++warp) {
      const std::size_t begin = at + kHeadBytes + warp * room;
      indexBuffer(buffer, block, warp, begin, begin + room, index);
    }
    at = next;
  }
  if (buffer.hasFailed())
    return std::nullopt;
  return index;
}

void leaveOutCutBlocks(std::vector<RecordPlace> &places,
                       const std::function<std::uint32_t(std::uint64_t grid)> &kernelOf,
                       std::set<std::uint32_t> &whole) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, bool> isCut; // by grid and block
  for (const RecordPlace &place : places)
    isCut[{place.grid, place.block}] |= place.cut;
  for (const auto &[block, cut] : isCut)
    if (!cut)
      whole.insert(kernelOf(block.first));
  std::erase_if(places, [&](const RecordPlace &place) {
    return isCut[{place.grid, place.block}] && whole.contains(kernelOf(place.grid));
  });
}

trace::WarpAccess toWarpAccess(std::span<const std::byte> records, const RecordPlace &place) {
  std::size_t at = std::size_t{place.granule} * kGranuleBytes;
  const auto head = load<AccessHead>(records, at);
  at += kHeadBytes;

  trace::WarpAccess access;
  access.block = place.block;
  access.warp = place.warp;
  access.site = head.tag & kSiteMask;
  access.order = place.order;
  access.activeMask = head.mask;
  access.bytes = head.bytes;
  const int first = std::countr_zero(head.mask);
  for (std::uint32_t left = head.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint64_t &address = access.addresses[static_cast<std::size_t>(lane)];
    switch (shapeOf(head)) {
    case Shape::Affine:
      address = head.base + static_cast<std::uint64_t>(std::int64_t{head.stride} * (lane - first));
      break;
    case Shape::Offsets16:
      address = head.base + load<std::uint16_t>(records, at);
      at += 2;
      break;
    case Shape::Offsets32:
      address = head.base + load<std::uint32_t>(records, at);
      at += 4;
      break;
    case Shape::Addresses64:
      address = load<std::uint64_t>(records, at);
      at += 8;
      break;
    }
  }
  return access;
}

} // namespace relayout::gpu
