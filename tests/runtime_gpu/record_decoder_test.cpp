// SPDX-License-Identifier: Apache-2.0
// Address records as kernels write them, from buffers made by hand.
#include "relayout/gpu/record_decoder.h"

#include "relayout/device/buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace relayout::gpu {
namespace {

using namespace relayout::device;

class Buffer {
public:
  template <class Value> void put(std::size_t granule, const Value &value) {
    putBytes(granule * kGranuleBytes, &value, sizeof value);
  }
  template <class Value> void putPayload(std::size_t granule, const std::vector<Value> &values) {
    putBytes(granule * kGranuleBytes + kHeadBytes, values.data(), values.size() * sizeof(Value));
  }
  void resize(std::size_t granules) { bytes_.resize(granules * kGranuleBytes); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
  void putBytes(std::size_t at, const void *from, std::size_t count) {
    if (bytes_.size() < at + count)
      bytes_.resize((at + count + kGranuleBytes - 1) / kGranuleBytes * kGranuleBytes);
    std::memcpy(bytes_.data() + at, from, count);
  }
  std::vector<std::byte> bytes_;
};

AccessHead head(std::uint32_t site, std::uint32_t warp, Shape shape, std::uint32_t mask,
                std::uint64_t base, std::int32_t stride = 0) {
  return {kAccessTag | static_cast<std::uint32_t>(shape) << 29 | warp << 24 | site,
          0,
          mask,
          4,
          base,
          stride,
          0};
}

constexpr std::uint32_t kHeader = sizeof(BufferHeader) / kGranuleBytes;

/// \param room  granules of records, of each warp; its buffer header follows
BlockHead block(std::uint32_t number, std::uint32_t warps, std::uint32_t room,
                std::uint64_t grid = 7, std::uint64_t clock = 0) {
  return {kBlockTag, number, warps, room + kHeader, grid, clock};
}

BufferHeader header(std::uint32_t next, std::uint32_t mixed = 0) {
  BufferHeader made{};
  made.next = next;
  made.mixed = mixed;
  return made;
}

/// Of a buffer that is copied out in one piece.
RecordIndex indexOf(std::span<const std::byte> bytes) {
  const auto copy = [bytes](std::size_t at, std::span<std::byte> to) {
    std::ranges::copy(bytes.subspan(at, to.size()), to.begin());
    return true;
  };
  return *indexRecords(bytes.size(), copy, [](std::uint64_t) { return true; });
}

TEST(RecordDecoder, AffineLanesCountFromTheFirstActiveOne) {
  Buffer buffer;
  buffer.put(0, block(5, 1, 8));
  buffer.put(2, head(3, 0, Shape::Affine, 0x0000fff0, 0x1000, -32));
  buffer.resize(10 + kHeader);
  const RecordIndex index = indexOf(buffer.bytes());
  ASSERT_EQ(index.places.size(), 1u);
  EXPECT_EQ(index.damaged, 0u);
  const trace::WarpAccess access = toWarpAccess(index.records, index.places[0]);
  EXPECT_EQ(access.block, 5u);
  EXPECT_EQ(access.site, 3u);
  EXPECT_EQ(access.activeMask, 0x0000fff0u);
  EXPECT_EQ(access.bytes, 4u);
  EXPECT_EQ(access.addresses[3], 0u);
  EXPECT_EQ(access.addresses[4], 0x1000u);
  EXPECT_EQ(access.addresses[15], 0x1000u - 11 * 32);
  EXPECT_EQ(access.addresses[16], 0u);
}

TEST(RecordDecoder, OffsetsBelongToTheActiveLanesInTurn) {
  Buffer buffer;
  buffer.put(0, block(0, 1, 32));
  buffer.put(2, head(1, 0, Shape::Offsets16, 0x80000005, 0x5000));
  buffer.putPayload<std::uint16_t>(2, {0x8000, 1, 0xffff});
  buffer.put(5, head(2, 0, Shape::Offsets32, 0x3, 0x100));
  buffer.putPayload<std::uint32_t>(5, {0x80000000u, 0xffffffffu});
  buffer.put(8, head(4, 0, Shape::Addresses64, 0x3, 0));
  buffer.putPayload<std::uint64_t>(8, {0x7f0000000000, 0x10});
  buffer.resize(34 + kHeader);
  const RecordIndex index = indexOf(buffer.bytes());
  ASSERT_EQ(index.places.size(), 3u);
  const auto narrow = toWarpAccess(index.records, index.places[0]);
  EXPECT_EQ(narrow.addresses[0], 0xd000u);
  EXPECT_EQ(narrow.addresses[2], 0x5001u);
  EXPECT_EQ(narrow.addresses[31], 0x14fffu);
  const auto wide = toWarpAccess(index.records, index.places[1]);
  EXPECT_EQ(wide.addresses[1], 0x1000000ffu);
  const auto whole = toWarpAccess(index.records, index.places[2]);
  EXPECT_EQ(whole.addresses[0], 0x7f0000000000u);
  EXPECT_EQ(whole.addresses[1], 0x10u);
  EXPECT_EQ(whole.order, 2u);
}

TEST(RecordDecoder, EveryWarpHasItsRoomAndItsOrder) {
  Buffer buffer;
  buffer.put(0, block(1, 2, 4, 9));
  buffer.put(2, head(1, 0, Shape::Affine, 1, 0x10));
  buffer.put(6 + kHeader, head(1, 1, Shape::Affine, 1, 0x20));
  buffer.put(8 + kHeader, head(2, 1, Shape::Affine, 1, 0x30));
  buffer.put(10 + 2 * kHeader, block(2, 1, 2, 9));
  buffer.put(12 + 2 * kHeader, head(5, 0, Shape::Affine, 1, 0x40));
  buffer.resize(14 + 3 * kHeader);
  const RecordIndex index = indexOf(buffer.bytes());
  ASSERT_EQ(index.places.size(), 4u);
  EXPECT_EQ(index.places[1].warp, 1u);
  EXPECT_EQ(index.places[1].order, 0u);
  EXPECT_EQ(index.places[2].order, 1u);
  EXPECT_EQ(index.places[3].block, 2u);
  EXPECT_EQ(index.places[3].grid, 9u);
}

TEST(RecordDecoder, ClocksOfRecordsRunOnFromTheBlocks) {
  Buffer buffer;
  buffer.put(0, block(0, 1, 4, 1, 0x1fffffff0));
  AccessHead late = head(1, 0, Shape::Affine, 1, 0x10);
  late.clock = 0x10; // the low bits have wrapped
  buffer.put(2, late);
  buffer.resize(6 + kHeader);
  const RecordIndex index = indexOf(buffer.bytes());
  ASSERT_EQ(index.places.size(), 1u);
  EXPECT_EQ(index.places[0].clock, 0x200000010u);
}

TEST(RecordDecoder, DamageIsCountedAndEndsItsRoomOnly) {
  Buffer buffer;
  buffer.put(0, block(0, 2, 4));
  AccessHead noLanes = head(1, 0, Shape::Affine, 0, 0x10);
  buffer.put(2, noLanes);
  buffer.put(6 + kHeader, head(1, 1, Shape::Affine, 1, 0x20));
  buffer.put(8 + kHeader, head(1, 0, Shape::Affine, 1, 0x20)); // another warp's
  buffer.resize(10 + 2 * kHeader);
  const RecordIndex index = indexOf(buffer.bytes());
  EXPECT_EQ(index.places.size(), 1u);
  EXPECT_EQ(index.damaged, 2u);
}

TEST(RecordDecoder, RecordsThatTwoSidesOfABranchWroteAtOnceAreLeftOut) {
  Buffer buffer;
  buffer.put(0, block(0, 2, 4));
  buffer.put(2, head(1, 0, Shape::Affine, 1, 0x10));
  buffer.put(6, header(4, 1));
  buffer.put(6 + kHeader, head(1, 1, Shape::Affine, 1, 0x20));
  buffer.resize(10 + 2 * kHeader);
  const RecordIndex index = indexOf(buffer.bytes());
  ASSERT_EQ(index.places.size(), 1u);
  EXPECT_EQ(index.places[0].warp, 1u);
  EXPECT_EQ(index.damaged, 1u);
}

TEST(RecordDecoder, RecordsLargerThanTheirRoomAreDamage) {
  Buffer buffer;
  buffer.put(0, block(0, 1, 4));
  buffer.put(2, head(1, 0, Shape::Addresses64, 0xffffffff, 0));
  buffer.resize(6 + kHeader);
  const RecordIndex index = indexOf(buffer.bytes());
  EXPECT_TRUE(index.places.empty());
  EXPECT_EQ(index.damaged, 1u);
}

TEST(RecordDecoder, NoBytesAreTrusted) {
  for (const unsigned char fill : {0x01, 0x80, 0xff}) {
    std::vector<std::byte> bytes(4096, std::byte{fill});
    const RecordIndex index = indexOf(bytes);
    EXPECT_TRUE(index.places.empty());
  }
  EXPECT_TRUE(indexOf({}).places.empty());
}

TEST(RecordDecoder, AnUnfinishedBlockIsSkipped) {
  Buffer buffer;
  buffer.resize(8); // took room, wrote nothing
  buffer.put(8, block(3, 1, 2));
  buffer.put(10, head(1, 0, Shape::Affine, 1, 0x10));
  buffer.resize(12 + kHeader);
  const RecordIndex index = indexOf(buffer.bytes());
  ASSERT_EQ(index.places.size(), 1u);
  EXPECT_EQ(index.places[0].block, 3u);
}

TEST(RecordDecoder, BlocksThatRanOutOfRoomGiveWayToWholeOnes) {
  Buffer buffer;
  buffer.put(0, block(1, 1, 4, 7)); // wanted to write a third record, for which there was no room
  buffer.put(2, head(3, 0, Shape::Affine, 0xffffffffu, 0x1000, 4));
  buffer.put(4, head(4, 0, Shape::Affine, 0xffffffffu, 0x1000, 4));
  buffer.put(6, header(kNoRoom));
  buffer.put(6 + kHeader, block(2, 1, 4, 8)); // two filled its room
  buffer.put(8 + kHeader, head(3, 0, Shape::Affine, 0xffffffffu, 0x2000, 4));
  buffer.put(10 + kHeader, head(4, 0, Shape::Affine, 0xffffffffu, 0x2000, 4));
  buffer.put(12 + kHeader, header(12 + kHeader));
  RecordIndex index = indexOf(buffer.bytes());
  ASSERT_EQ(index.places.size(), 4u);
  EXPECT_TRUE(index.places[0].cut);
  EXPECT_FALSE(index.places[2].cut);

  std::set<std::uint32_t> whole;
  std::vector<RecordPlace> ofTwoKernels = index.places;
  leaveOutCutBlocks(
      ofTwoKernels, [](std::uint64_t grid) { return grid == 7 ? 0u : 1u; }, whole);
  EXPECT_EQ(ofTwoKernels.size(), 4u) << "better cut ones than none";
  EXPECT_THAT(whole, testing::ElementsAre(1u));

  whole.clear();
  leaveOutCutBlocks(
      index.places, [](std::uint64_t) { return 0u; }, whole);
  ASSERT_EQ(index.places.size(), 2u);
  EXPECT_EQ(index.places[0].block, 2u);

  std::vector<RecordPlace> later = {{.grid = 9, .block = 5, .cut = true}};
  leaveOutCutBlocks(
      later, [](std::uint64_t) { return 0u; }, whole);
  EXPECT_TRUE(later.empty()) << "an earlier launch had whole ones";
}

TEST(RecordDecoder, OneLargeRoomIsReadInPieces) {
  constexpr std::size_t kRecords = 3 * kPieceBytes / kHeadBytes;
  constexpr std::uint32_t kRoom = 6 * kPieceBytes / kGranuleBytes; // half of it is used
  Buffer buffer;
  buffer.resize(2 + kRoom + kHeader);
  buffer.put(0, block(1, 1, kRoom));
  for (std::uint32_t i = 0; i < kRecords; ++i)
    buffer.put(2 + 2 * i, head(3, 0, Shape::Affine, 1, i));
  buffer.put(2 + kRoom, header(kNoRoom));
  std::size_t copied = 0, largest = 0;
  const auto copy = [&](std::size_t at, std::span<std::byte> to) {
    EXPECT_LE(at + to.size(), buffer.bytes().size());
    std::ranges::copy(buffer.bytes().subspan(at, to.size()), to.begin());
    copied += to.size();
    largest = std::max(largest, to.size());
    return true;
  };
  const auto all = [](std::uint64_t) { return true; };
  const auto index = indexRecords(buffer.bytes().size(), copy, all);
  ASSERT_TRUE(index);
  ASSERT_EQ(index->places.size(), kRecords);
  EXPECT_EQ(index->records.size(), kRecords * kHeadBytes) << "no room is kept";
  EXPECT_TRUE(index->places[0].cut);
  for (const std::size_t i : {std::size_t{0}, kRecords / 2, kRecords - 1})
    EXPECT_EQ(toWarpAccess(index->records, index->places[i]).addresses[0], i);
  EXPECT_LE(largest, kPieceBytes);
  EXPECT_LT(copied, 5 * kPieceBytes) << "unused room is passed over";

  const auto fails = [&](std::size_t at, std::span<std::byte> to) {
    return at < kPieceBytes && copy(at, to);
  };
  EXPECT_FALSE(indexRecords(buffer.bytes().size(), fails, all));
}

TEST(RecordDecoder, LaunchesThatAreNotWantedTakeNoMemory) {
  Buffer buffer;
  buffer.put(0, block(1, 1, 4, 7));
  buffer.put(2, head(3, 0, Shape::Affine, 1, 0x10));
  buffer.put(6 + kHeader, block(2, 1, 4, 8));
  buffer.put(8 + kHeader, head(3, 0, Shape::Affine, 1, 0x20));
  buffer.resize(12 + 2 * kHeader);
  const auto copy = [&](std::size_t at, std::span<std::byte> to) {
    std::ranges::copy(buffer.bytes().subspan(at, to.size()), to.begin());
    return true;
  };
  const auto index =
      indexRecords(buffer.bytes().size(), copy, [](std::uint64_t grid) { return grid == 8; });
  ASSERT_TRUE(index);
  ASSERT_EQ(index->places.size(), 1u);
  EXPECT_EQ(index->places[0].block, 2u);
  EXPECT_EQ(index->records.size(), kHeadBytes);
}

} // namespace
} // namespace relayout::gpu
