// SPDX-License-Identifier: Apache-2.0
// Tests of the trace format: what is written comes back, and in how many bytes.
#include "sample_trace.h"

#include <bit>
#include <filesystem>
#include <random>
#include <thread>

namespace relayout::trace {
namespace {

std::vector<WarpAccess> readAll(const std::string &path) {
  std::vector<WarpAccess> accesses;
  const Result<void> done = forEachAccess(path, [&](const WarpAccess &access) {
    accesses.push_back(access);
    return true;
  });
  EXPECT_TRUE(done.has_value()) << done.error().text;
  return accesses;
}

void expectEqual(const std::vector<WarpAccess> &got, const std::vector<WarpAccess> &wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(got[i].launch, wanted[i].launch);
    EXPECT_EQ(got[i].block, wanted[i].block);
    EXPECT_EQ(got[i].warp, wanted[i].warp);
    EXPECT_EQ(got[i].site, wanted[i].site);
    EXPECT_EQ(got[i].order, wanted[i].order);
    EXPECT_EQ(got[i].activeMask, wanted[i].activeMask);
    EXPECT_EQ(got[i].bytes, wanted[i].bytes);
    ASSERT_EQ(got[i].addresses, wanted[i].addresses);
  }
}

/// Writes accesses of one kernel to a closed trace whose counts say that all were recorded.
std::uint64_t writeAccesses(const std::string &path, const std::vector<WarpAccess> &accesses,
                            std::uint32_t launches = 1) {
  Result<Writer> writer = Writer::create(path);
  EXPECT_TRUE(writer.has_value());
  for (std::uint32_t i = 0; i < launches; ++i)
    writer->launch({.kernel = 0});
  std::map<std::uint32_t, SiteCount> counts;
  for (const WarpAccess &access : accesses) {
    EXPECT_TRUE(writer->access(access));
    SiteCount &count = counts[access.site];
    count.kernel = 0;
    count.site = access.site;
    ++count.warpAccesses;
    ++count.recorded;
    count.laneAccesses += static_cast<std::uint64_t>(access.activeLanes());
  }
  std::vector<SiteCount> rows;
  for (const auto &[site, count] : counts)
    rows.push_back(count);
  EXPECT_TRUE(writer->close({"k"}, rows, {}, launches, launches, launches).has_value());
  return writer->accessBytes();
}

TEST(TraceRoundTrip, EverythingButAccessesComesBack) {
  const TemporaryFile file;
  writeSample(file.path());
  const Result<Trace> trace = readTrace(file.path());
  ASSERT_TRUE(trace.has_value()) << trace.error().text;
  EXPECT_TRUE(trace->complete);
  EXPECT_EQ(trace->machine.kind, "cpu");
  EXPECT_EQ(trace->machine.name, "test machine");
  EXPECT_EQ(trace->command, "./sample 16");
  EXPECT_EQ(toJson(trace->sites), toJson(sampleTable()));
  EXPECT_EQ(trace->kernels, std::vector<std::string>{"step"});
  ASSERT_EQ(trace->launches.size(), 2u);
  EXPECT_EQ(trace->launches[1].grid, (std::array<std::uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(trace->launches[0].block, (std::array<std::uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(trace->launches[0].sharedBytes, 128u);
  EXPECT_EQ(trace->launches[1].sampleStride, 4u);
  EXPECT_EQ(trace->launchesExecuted, 3u);
  EXPECT_EQ(trace->blocksExecuted, 16u);
  EXPECT_EQ(trace->blocksSampled, 6u);
  EXPECT_EQ(trace->accessRecords, sampleAccesses().size());
  ASSERT_EQ(trace->counts.size(), 3u);
  EXPECT_EQ(trace->counts[2].site, 7u);
  EXPECT_EQ(trace->counts[2].dropped, 9u);
  EXPECT_EQ(trace->counts[0].laneAccesses, 120u);
  ASSERT_EQ(trace->loops.size(), 1u);
  EXPECT_EQ(trace->loops[0].warpEntries, 6u);
  EXPECT_EQ(trace->loops[0].warpIterations, 24u);
  ASSERT_EQ(trace->allocations.size(), 1u);
  EXPECT_EQ(trace->allocations[0].address, 0x7000u);
  EXPECT_EQ(trace->allocations[0].extents.at(0).text, "n");
  EXPECT_EQ(trace->allocations[0].group, 1u);
  ASSERT_EQ(trace->copies.size(), 1u);
  EXPECT_EQ(trace->copies[0].paddingBytes, 12u);
  EXPECT_EQ(trace->copies[0].place, "sample.cu:30");
  ASSERT_EQ(trace->transfers.size(), 1u);
  EXPECT_EQ(trace->transfers[0].address, 0x7000u);
  EXPECT_TRUE(trace->transfers[0].isToHost);
  EXPECT_EQ(trace->transfers[0].copies, 3u);
  EXPECT_EQ(trace->transfers[0].bytes, 96u);
  EXPECT_EQ(trace->transfers[0].place, "sample.cu:30");
}

TEST(TraceRoundTrip, EveryAddressShapeComesBack) {
  const TemporaryFile file;
  writeSample(file.path());
  expectEqual(readAll(file.path()), sampleAccesses());
}

TEST(TraceRoundTrip, RandomAccessesComeBackOverManyChunks) {
  const TemporaryFile file;
  std::mt19937_64 random(7);
  std::vector<WarpAccess> accesses;
  for (int i = 0; i < 60000; ++i) {
    WarpAccess access;
    access.launch = static_cast<std::uint32_t>(random() % 5);
    access.block = static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 8);
    access.warp = static_cast<std::uint32_t>(random() % 4);
    access.site = static_cast<std::uint32_t>(random() % 11 == 0 ? random() : random() % 6);
    access.order = random() % 4 == 0 ? random() : static_cast<std::uint64_t>(i);
    do
      access.activeMask = static_cast<std::uint32_t>(random());
    while (access.activeMask == 0);
    if (random() % 4 == 0)
      access.activeMask = 1u << (random() % 32);
    access.bytes = 1u << (random() % 5);
    const std::uint64_t base = random();
    const std::uint64_t spread = std::uint64_t{1} << (random() % 64);
    const bool affine = random() % 2 == 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      if ((access.activeMask >> lane & 1) != 0)
        access.addresses[lane] = affine ? base + lane * spread : base + random() % spread;
    accesses.push_back(access);
  }
  writeAccesses(file.path(), accesses, 5);
  const std::vector<WarpAccess> again = readAll(file.path());
  expectEqual(again, accesses);
  std::size_t affine = 0;
  for (const WarpAccess &access : again) {
    affine += access.isAffine ? 1 : 0;
    const auto first = static_cast<unsigned>(std::countr_zero(access.activeMask));
    for (unsigned lane = first; lane < kWarpLanes && access.isAffine; ++lane)
      if ((access.activeMask >> lane & 1) != 0)
        ASSERT_EQ(access.addresses[lane],
                  access.addresses[first] +
                      static_cast<std::uint64_t>(access.stride) * (lane - first));
  }
  EXPECT_GT(affine, accesses.size() / 2) << "all that were made so, and single lanes";
}

TEST(TraceRoundTrip, AnAffineAccessOfASteadyStreamTakesFourBytesAtMost) {
  // Four fields of a 32-byte record, read by every thread of a grid, one element each:
  // every warp access has its own place, warp and base.
  const TemporaryFile file;
  std::vector<WarpAccess> accesses;
  for (std::uint32_t block = 0; block < 4096; ++block)
    for (std::uint32_t warp = 0; warp < 8; ++warp)
      for (std::uint32_t field = 0; field < 4; ++field) {
        accesses.push_back(affineAccess(
            field + 1, warp, field,
            0x700000000000 + (std::uint64_t{block} * 8 + warp) * 32 * 32 + std::uint64_t{field} * 4,
            32));
        accesses.back().block = block;
      }
  const std::uint64_t bytes = writeAccesses(file.path(), accesses);
  expectEqual(readAll(file.path()), accesses);
  const double each = static_cast<double>(bytes) / static_cast<double>(accesses.size());
  RecordProperty("bytesPerAccess", std::to_string(each));
  EXPECT_LE(each, 4.0);
}

TEST(TraceRoundTrip, StreamsOfRandomlyInterleavedWarpsTakeSixBytesAtMost) {
  // Eight warps advance through a grid-stride loop, one access at a time, interleaved at random:
  // the worst order in which workers could hand their accesses over.
  const TemporaryFile file;
  std::mt19937_64 random(13);
  std::vector<WarpAccess> accesses;
  std::array<std::uint64_t, 8> next{};
  for (int i = 0; i < 100000; ++i) {
    const auto warp = static_cast<std::uint32_t>(random() % next.size());
    const std::uint64_t turn = next[warp]++;
    accesses.push_back(
        affineAccess(1, warp, turn, 0x700000000000 + (turn * next.size() + warp) * 32 * 32, 32));
  }
  const std::uint64_t bytes = writeAccesses(file.path(), accesses);
  expectEqual(readAll(file.path()), accesses);
  const double each = static_cast<double>(bytes) / static_cast<double>(accesses.size());
  RecordProperty("bytesPerAccess", std::to_string(each));
  EXPECT_LE(each, 6.0);
}

TEST(TraceRoundTrip, ABroadcastLoopTakesFourBytesAtMost) {
  const TemporaryFile file;
  std::vector<WarpAccess> accesses;
  for (std::uint32_t warp = 0; warp < 16; ++warp)
    for (std::uint64_t j = 0; j < 2000; ++j)
      for (std::uint32_t field = 0; field < 3; ++field)
        accesses.push_back(affineAccess(field + 1, warp, j * 3 + field,
                                        0x7000000 + j * 32 + std::uint64_t{field} * 4, 0));
  const std::uint64_t bytes = writeAccesses(file.path(), accesses);
  expectEqual(readAll(file.path()), accesses);
  const double each = static_cast<double>(bytes) / static_cast<double>(accesses.size());
  RecordProperty("bytesPerAccess", std::to_string(each));
  EXPECT_LE(each, 4.0);
}

TEST(TraceRoundTrip, AGatherTakesNoMoreThanItsOffsets) {
  const TemporaryFile file;
  std::mt19937_64 random(11);
  std::vector<WarpAccess> accesses;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    WarpAccess access = affineAccess(1, i % 8, 0, 0x7000000, 0);
    access.block = i / 8;
    for (std::uint64_t &address : access.addresses)
      address += random() % (1 << 20) * 32;
    accesses.push_back(access);
  }
  const std::uint64_t bytes = writeAccesses(file.path(), accesses);
  expectEqual(readAll(file.path()), accesses);
  const double each = static_cast<double>(bytes) / static_cast<double>(accesses.size());
  RecordProperty("bytesPerAccess", std::to_string(each));
  EXPECT_LE(each, 32 * 4 + 8.0);
}

TEST(TraceWriter, ReportsTheBytesThatAddressRecordsTake) {
  const TemporaryFile file;
  Result<Writer> writer = Writer::create(file.path());
  ASSERT_TRUE(writer.has_value());
  EXPECT_EQ(writer->accessBytes(), 0u);
  writer->launch({.kernel = 0});
  EXPECT_TRUE(writer->access(affineAccess(1, 0, 0, 64, 4)));
  EXPECT_GT(writer->accessBytes(), 0u);
}

TEST(TraceWriter, RefusesAnAccessOfAnUnknownLaunchOrWithoutLanes) {
  const TemporaryFile file;
  Result<Writer> writer = Writer::create(file.path());
  ASSERT_TRUE(writer.has_value());
  EXPECT_FALSE(writer->access(affineAccess(1, 0, 0, 64, 4)));
  writer->launch({.kernel = 0});
  EXPECT_FALSE(writer->access(affineAccess(1, 0, 0, 64, 4, 0)));
  WarpAccess later = affineAccess(1, 0, 0, 64, 4);
  later.launch = 1;
  const std::vector<WarpAccess> batch{affineAccess(1, 0, 0, 64, 4), later};
  EXPECT_EQ(writer->accesses(batch), 1u);
}

TEST(TraceWriter, TakesCallsFromSeveralThreads) {
  const TemporaryFile file;
  constexpr int kThreads = 4;
  constexpr int kEach = 30000;
  {
    Result<Writer> writer = Writer::create(file.path());
    ASSERT_TRUE(writer.has_value());
    writer->launch({.kernel = 0});
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&writer, t] {
        for (int i = 0; i < kEach; ++i)
          writer->access(affineAccess(1, static_cast<std::uint32_t>(t),
                                      static_cast<std::uint64_t>(i), std::uint64_t{4096} * t, 4));
      });
    for (std::thread &thread : threads)
      thread.join();
    constexpr std::uint64_t kAll = std::uint64_t{kThreads} * kEach;
    ASSERT_TRUE(writer->close({"k"}, {{0, 1, kAll, kAll * 32, kAll, 0}}, {}, 1, 1, 1));
  }
  std::map<std::uint32_t, std::uint64_t> next;
  for (const WarpAccess &access : readAll(file.path())) {
    ASSERT_EQ(access.order, next[access.warp]++);
    ASSERT_EQ(access.addresses[0], 4096u * access.warp);
  }
  EXPECT_EQ(next.size(), static_cast<std::size_t>(kThreads));
}

TEST(TraceWriter, SaysWhereItCannotWrite) {
  const Result<Writer> writer = Writer::create("/no/such/folder/file.trace");
  ASSERT_FALSE(writer.has_value());
  EXPECT_EQ(writer.error().code, Code::TraceUnreadable);
  EXPECT_NE(writer.error().text.find("/no/such/folder/file.trace"), std::string::npos);
}

TEST(TraceWriter, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  Result<Writer> writer = Writer::create("/dev/full");
  ASSERT_FALSE(writer.has_value()) << "the header is written at once";
  EXPECT_EQ(writer.error().code, Code::TraceUnreadable);
}

TEST(TraceReader, StopsWhereTheCallbackSaysSo) {
  const TemporaryFile file;
  writeSample(file.path());
  int seen = 0;
  const Result<void> done =
      forEachAccess(file.path(), [&](const WarpAccess &) { return ++seen < 2; });
  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(seen, 2);
}

} // namespace
} // namespace relayout::trace
