// SPDX-License-Identifier: Apache-2.0
// Policy replay: addresses to elements, and what is folded into one bundle.
#include "relayout/analysis/replay/stream/warp_stream.h"
#include "replay_cases.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using Warp = SyntheticProgram::Warp;
using trace::AccessKind;

/// All waves of a program, and the stream they belong to.
struct Decoded {
  WarpStream stream;
  std::vector<Wave> waves;

  [[nodiscard]] const AccessSet &setOf(const Bundle &bundle) const {
    return stream.kernels[0].accessSets[bundle.accessSet];
  }
};

Decoded decode(const SyntheticProgram &program, const trace::AccessSource &source,
               const DecodeOptions &options = {}) {
  Decoded decoded;
  Result<WarpStream> stream =
      forEachWave(program.trace(), source, options, [&](Wave &&wave, const WarpStream &) {
        decoded.waves.push_back(std::move(wave));
      });
  EXPECT_TRUE(stream.has_value());
  decoded.stream = std::move(*stream);
  return decoded;
}

Decoded decode(const SyntheticProgram &program) { return decode(program, program.source()); }

TEST(WarpStream, FieldsOfTheSameElementsAreOneBundle) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y", "z", "w"});
  const std::uint32_t records = program.array(64, 16);
  const trace::Index x = program.site(record, 0);
  const trace::Index z = program.site(record, 2);
  program.kernel("k", 64, 1, [=](Warp &warp) {
    const auto own = [&](unsigned lane) { return warp.thread(lane); };
    warp.touch(x, records, own);
    warp.touch(z, records, own);
    warp.touch(x, records, own); // the compiler has it in a register
  });
  const Decoded decoded = decode(program);
  ASSERT_EQ(decoded.waves.size(), 1u);
  ASSERT_EQ(decoded.waves[0].warps.size(), 2u);
  const WarpRun &second = decoded.waves[0].warps[1];
  EXPECT_EQ(second.block, 1u);
  ASSERT_EQ(second.bundles.size(), 1u);
  EXPECT_EQ(decoded.setOf(second.bundles[0]).reads, 0b101u);
  EXPECT_EQ(decoded.setOf(second.bundles[0]).writes, 0u);
  const LanePattern &pattern = second.bundles[0].pattern;
  EXPECT_EQ(pattern.base, 32u);
  EXPECT_EQ(pattern.stride, 1);
  EXPECT_EQ(pattern.mask, 0xffffffffu);
  EXPECT_EQ(decoded.stream.mapped, 6u);
  EXPECT_EQ(decoded.stream.unmapped, 0u);
}

/// A reference that is bound to an object of another type: its site's record does not fit there.
TEST(WarpStream, MemoryBelowOneRecordHoldsNone) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y", "z", "w"});
  const std::uint32_t records = program.array(64, 16);
  const std::uint32_t single = program.array(1, 8);
  const trace::Index w = program.site(record, 3);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    warp.touch(w, single, [](unsigned) { return 0; });
    warp.touch(w, records, [&](unsigned lane) { return warp.thread(lane); });
  });
  const Decoded decoded = decode(program);
  EXPECT_EQ(decoded.stream.mapped, 1u);
  EXPECT_EQ(decoded.stream.unmapped, 1u);
  for (const ReplayArray &array : decoded.stream.arrays)
    EXPECT_LE(array.elements, 64u);
}

/// A function that takes the address of a field: its text does not say whose field it is.
TEST(WarpStream, AddressesTellFieldsOfOtherRecords) {
  SyntheticProgram program(32);
  const trace::Index pair = program.floats({"u", "v"});
  const trace::Index body = program.record({{"from", 8}, {"to", 8}});
  const std::uint32_t bodies = program.array(64, 16);
  program.trace().allocations[bodies].group = body;
  const trace::Index v = program.site(pair, 1);
  const trace::Index whole = program.site(pair, trace::kNone, AccessKind::Write);
  const trace::Index from = program.site(body, 0);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    const auto first = [&](unsigned lane) { return 2 * warp.thread(lane); };
    const auto second = [&](unsigned lane) { return 2 * warp.thread(lane) + 1; };
    warp.touch(v, bodies, second);
    warp.touch(whole, bodies, first);
    warp.touchMember(
        from, bodies, [&](unsigned lane) { return warp.thread(lane); },
        [](unsigned) { return 1u; }); // 8 bytes on: the other field
  });
  const Decoded decoded = decode(program);
  EXPECT_EQ(decoded.stream.unmapped, 0u);
  const std::vector<Bundle> &bundles = decoded.waves[0].warps[0].bundles;
  ASSERT_EQ(bundles.size(), 1u);
  EXPECT_EQ(decoded.setOf(bundles[0]).reads, 0b10u);
  EXPECT_EQ(decoded.setOf(bundles[0]).writes, 0b01u);
  EXPECT_EQ(bundles[0].pattern.stride, 1);
  ASSERT_EQ(decoded.stream.arrays.size(), 1u);
  EXPECT_EQ(decoded.stream.arrays[0].group, body);
}

/// A template for `T *` has one site for arrays of float and of double.
TEST(WarpStream, AllocationsTellTheTypesOfATemplatesArrays) {
  SyntheticProgram program(32);
  const trace::Index single = program.record({{"value", 4}});
  const trace::Index pair = program.record({{"value", 8}});
  for (const trace::Index plain : {single, pair})
    program.trace().sites.records[plain].place = {};
  const std::uint32_t singles = program.array(64, 4);
  const std::uint32_t pairs = program.array(64, 8);
  program.trace().allocations[singles].group = single;
  program.trace().allocations[pairs].group = pair;
  const trace::Index ofFirst = program.site(single, 0);
  const trace::Index ofSecond = program.site(pair, 0);
  program.trace().sites.sites[ofSecond].record = single; // what the first instance says
  program.trace().sites.sites[ofSecond].group = single;
  program.kernel("k", 32, 1, [=](Warp &warp) {
    const auto own = [&](unsigned lane) { return warp.thread(lane); };
    warp.touch(ofFirst, singles, own);
    warp.touch(ofSecond, pairs, own);
  });
  const Decoded decoded = decode(program);
  EXPECT_EQ(decoded.stream.unmapped, 0u);
  ASSERT_EQ(decoded.stream.arrays.size(), 2u);
  EXPECT_EQ(decoded.stream.arrays[0].group, single);
  EXPECT_EQ(decoded.stream.arrays[1].group, pair);
}

TEST(WarpStream, AStoreToAnotherArrayEndsABundle) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y"});
  const std::uint32_t records = program.array(64, 8);
  const std::uint32_t out = program.array(64, 4);
  const trace::Index x = program.site(record, 0);
  const trace::Index store = program.site(trace::kNone, trace::kNone, AccessKind::Write);
  const trace::Index y = program.site(record, 1);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    const auto own = [&](unsigned lane) { return warp.thread(lane); };
    warp.touch(x, records, own);
    warp.touch(store, out, own);
    warp.touch(y, records, own);
  });
  const Decoded decoded = decode(program);
  const std::vector<Bundle> &bundles = decoded.waves[0].warps[0].bundles;
  ASSERT_EQ(bundles.size(), 3u);
  EXPECT_EQ(decoded.setOf(bundles[0]).reads, 0b01u);
  EXPECT_EQ(decoded.setOf(bundles[1]).writes, 1u);
  EXPECT_EQ(decoded.setOf(bundles[1]).bytes, 4u);
  EXPECT_EQ(decoded.setOf(bundles[2]).reads, 0b10u);
}

TEST(WarpStream, AnUpdateOfFieldAfterFieldIsOneBundle) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y"});
  const std::uint32_t records = program.array(64, 8);
  std::vector<trace::Index> sites;
  for (trace::Index f = 0; f < 2; ++f) {
    sites.push_back(program.site(record, f));
    sites.push_back(program.site(record, f, AccessKind::Write));
  }
  program.kernel("k", 32, 1, [=](Warp &warp) {
    for (const trace::Index site : sites)
      warp.touch(site, records, [&](unsigned lane) { return warp.thread(lane); });
  });
  const Decoded decoded = decode(program);
  const std::vector<Bundle> &bundles = decoded.waves[0].warps[0].bundles;
  ASSERT_EQ(bundles.size(), 1u);
  EXPECT_EQ(decoded.setOf(bundles[0]).reads, 0b11u);
  EXPECT_EQ(decoded.setOf(bundles[0]).writes, 0b11u);
}

TEST(WarpStream, ReadsOfTwoElementsInterleavedStayTwoBundles) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y"});
  const std::uint32_t records = program.array(1024, 8);
  const trace::Index x = program.site(record, 0);
  const trace::Index y = program.site(record, 1);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    const auto own = [&](unsigned lane) { return warp.thread(lane); };
    const auto other = [&](unsigned lane) { return lane * lane; };
    warp.touch(x, records, own);
    warp.touch(x, records, other);
    warp.touch(y, records, own);
    warp.touch(y, records, other);
  });
  const Decoded decoded = decode(program);
  const std::vector<Bundle> &bundles = decoded.waves[0].warps[0].bundles;
  ASSERT_EQ(bundles.size(), 2u);
  for (const Bundle &bundle : bundles)
    EXPECT_EQ(decoded.setOf(bundle).reads, 0b11u);
  const LanePattern &irregular = bundles[1].pattern;
  ASSERT_NE(irregular.offsets, LanePattern::kAffine);
  EXPECT_EQ(irregular.base, 0u);
  EXPECT_EQ(decoded.waves[0].offsets[irregular.offsets][5], 25u);
}

/// `(i & 1 ? a : b)[i].x`
TEST(WarpStream, LanesMayChooseBetweenArrays) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y"});
  const std::uint32_t a = program.array(64, 8);
  const std::uint32_t b = program.array(64, 8);
  const trace::Index x = program.site(record, 0);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    warp.touch(x, a, [&](unsigned lane) { return warp.thread(lane); });
  });
  const std::uint64_t apart =
      program.trace().allocations[b].address - program.trace().allocations[a].address;
  const trace::AccessSource source =
      [&](const std::function<bool(const trace::WarpAccess &)> &callback) {
        return program.source()([&](trace::WarpAccess access) {
          access.isAffine = false;
          for (unsigned lane = 1; lane < trace::kWarpLanes; lane += 2)
            access.addresses[lane] += apart;
          return callback(access);
        });
      };
  const Decoded decoded = decode(program, source);
  EXPECT_EQ(decoded.stream.mapped, 1u);
  EXPECT_EQ(decoded.stream.unmapped, 0u);
  const std::vector<Bundle> &bundles = decoded.waves[0].warps[0].bundles;
  ASSERT_EQ(bundles.size(), 2u);
  EXPECT_EQ(bundles[0].pattern.mask, 0x55555555u);
  EXPECT_EQ(bundles[1].pattern.mask, 0xaaaaaaaau);
  EXPECT_NE(decoded.setOf(bundles[0]).array, decoded.setOf(bundles[1]).array);
}

TEST(WarpStream, WhatIsNotInAnyAllocationOrFieldIsCountedAsUnmapped) {
  SyntheticProgram program(32);
  const trace::Index record = program.record({{"x", 4}, {"y", 8}}); // 4 bytes of padding after x
  const std::uint32_t records = program.array(64, 16);
  const trace::Index x = program.site(record, 0);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    warp.touch(x, records, [&](unsigned lane) { return warp.thread(lane); });
  });
  const trace::AccessSource source =
      [&](const std::function<bool(const trace::WarpAccess &)> &callback) {
        return program.source()([&](const trace::WarpAccess &access) {
          callback(access);
          trace::WarpAccess outside = access;
          for (std::uint64_t &address : outside.addresses)
            address += 1ull << 30;
          callback(outside);
          trace::WarpAccess inPadding = access;
          inPadding.addresses[7] += 4;
          return callback(inPadding);
        });
      };
  const Decoded decoded = decode(program, source);
  EXPECT_EQ(decoded.stream.mapped, 1u);
  EXPECT_EQ(decoded.stream.unmapped, 2u);
}

TEST(WarpStream, AWholeRecordCopyTouchesAllFields) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y", "z"});
  const std::uint32_t records = program.array(64, 12);
  const trace::Index copy = program.site(record, trace::kNone);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    warp.touch(copy, records, [&](unsigned lane) { return warp.thread(lane); });
  });
  const Decoded decoded = decode(program);
  EXPECT_EQ(decoded.setOf(decoded.waves[0].warps[0].bundles[0]).reads, 0b111u);
}

TEST(WarpStream, LargeLaunchesAreCutIntoWavesOfBoundedSize) {
  const LayoutCase gather = layoutCase("gather", 0xff, "8");
  constexpr std::uint64_t kMost = 20 << 10;
  const Decoded decoded = decode(gather.program, gather.program.source(), {.maxWaveBytes = kMost});
  EXPECT_GT(decoded.waves.size(), 2u);
  std::uint64_t accesses = 0;
  for (const Wave &wave : decoded.waves) {
    EXPECT_LE(wave.bytes(), kMost + (1 << 10));
    accesses += wave.warpAccesses;
  }
  EXPECT_EQ(accesses, decoded.stream.mapped);
  EXPECT_EQ(accesses, 32u * 8 * 10);
}

TEST(WarpStream, ALaterAllocationHidesTheOneItReplaces) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x"});
  const std::uint32_t records = program.array(64, 4);
  const trace::Index x = program.site(record, 0);
  program.kernel("k", 32, 1, [=](Warp &warp) {
    warp.touch(x, records, [&](unsigned lane) { return warp.thread(lane); });
  });
  program.trace().allocations.push_back({program.trace().allocations[0].address, 4096});
  const Decoded decoded = decode(program);
  ASSERT_EQ(decoded.stream.arrays.size(), 1u);
  EXPECT_EQ(decoded.stream.arrays[0].elements, 1024u);
}

// A method reads elements of either array: the source does not tell which, the allocations do.
TEST(WarpStream, AccessesOfSeveralGroupsBelongToThatOfTheirAllocation) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"x", "y"});
  program.trace().sites.groups.push_back({record, {"main::others"}, {"program.cu", 2, 1}});
  const std::uint32_t ones = program.array(64, 8);
  const std::uint32_t others = program.array(64, 8);
  const trace::Index y = program.site(record, 1);
  program.trace().sites.sites[y].group = trace::kNone;
  program.kernel("k", 64, 1, [=](Warp &warp) {
    warp.touch(y, ones, [&](unsigned lane) { return warp.thread(lane); });
    warp.touch(y, others, [&](unsigned lane) { return warp.thread(lane); });
  });
  for (const trace::Index group : {trace::Index{0}, trace::Index{1}})
    EXPECT_EQ(decode(program).stream.arrays.at(group).group, trace::kNone) << "nobody says";
  program.trace().allocations[ones].group = 0;
  program.trace().allocations[others].group = 1;
  const Decoded decoded = decode(program);
  ASSERT_EQ(decoded.stream.arrays.size(), 2u);
  EXPECT_EQ(decoded.stream.arrays[0].group, 0u);
  EXPECT_EQ(decoded.stream.arrays[1].group, 1u);
  EXPECT_EQ(decoded.stream.arrays[1].elements, 64u);
  const std::vector<Bundle> &bundles = decoded.waves[0].warps[1].bundles;
  ASSERT_EQ(bundles.size(), 2u);
  EXPECT_EQ(decoded.setOf(bundles[1]).reads, 0b10u);
  EXPECT_EQ(bundles[1].pattern.base, 32u);
  EXPECT_EQ(bundles[1].pattern.stride, 1);
}

} // namespace
} // namespace relayout::analysis
