// SPDX-License-Identifier: Apache-2.0
// Tests of the trace format: no bytes, however wrong, are taken for a sound trace or crash a
// reader.
#include "sample_trace.h"

#include <random>

namespace relayout::trace {
namespace {

std::string codeOf(const std::string &path) {
  const Result<Trace> trace = readTrace(path);
  if (!trace)
    return codeName(trace.error().code);
  const Result<void> complete = requireComplete(*trace, path);
  return complete ? "" : codeName(complete.error().code);
}

std::string accessCodeOf(const std::string &path) {
  const Result<void> done = forEachAccess(path, [](const WarpAccess &) { return true; });
  return done ? "" : codeName(done.error().code);
}

/// A closed trace of one kernel "k" with the given totals and `records` accesses of site 1.
void writeWithTotals(const std::string &path, const std::vector<SiteCount> &counts, int records) {
  Result<Writer> writer = Writer::create(path);
  ASSERT_TRUE(writer.has_value());
  writer->launch({0, {1, 1, 1}, {32, 1, 1}, 0, 1});
  for (int i = 0; i < records; ++i)
    ASSERT_TRUE(writer->access(affineAccess(1, 0, static_cast<std::uint64_t>(i), 64, 4)));
  ASSERT_TRUE(writer->close({"k"}, counts, {}, 1, 1, 1).has_value());
}

TEST(DamagedTrace, TruncatedAnywhereItIsIncompleteOrNoTrace) {
  const TemporaryFile file;
  writeSample(file.path());
  const std::string whole = file.bytes();
  ASSERT_EQ(codeOf(file.path()), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    file.write(whole.substr(0, size));
    const std::string code = codeOf(file.path());
    ASSERT_EQ(code, size < 8 ? "RL-T01" : "RL-T04") << "at " << size << " of " << whole.size();
    ASSERT_EQ(accessCodeOf(file.path()), code) << "at " << size;
  }
}

TEST(DamagedTrace, AnyFlippedByteIsFound) {
  const TemporaryFile file;
  writeSample(file.path());
  const std::string whole = file.bytes();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      file.write(damaged);
      const std::string expected = at < 8 ? "RL-T01" : at < 12 ? "RL-T02" : "RL-T03";
      ASSERT_EQ(codeOf(file.path()), expected) << "byte " << at;
      ASSERT_EQ(accessCodeOf(file.path()), expected) << "byte " << at;
    }
}

TEST(DamagedTrace, BytesTakenOutOrPutInAreFound) {
  const TemporaryFile file;
  writeSample(file.path());
  const std::string whole = file.bytes();
  for (std::size_t at = 16; at < whole.size(); ++at) {
    std::string shorter = whole;
    shorter.erase(at, 1);
    file.write(shorter);
    ASSERT_NE(codeOf(file.path()), "") << "without byte " << at;
    std::string longer = whole;
    longer.insert(at, 1, 'x');
    file.write(longer);
    ASSERT_NE(codeOf(file.path()), "") << "more at byte " << at;
  }
  file.write(whole + "x");
  EXPECT_EQ(codeOf(file.path()), "RL-T03");
}

TEST(DamagedTrace, ALostChunkIsFound) {
  const TemporaryFile file;
  writeSample(file.path());
  const std::string whole = file.bytes();
  // Chunk headers are 56 bytes; the stored size is at byte 24 of each.
  std::vector<std::size_t> starts;
  for (std::size_t at = 16; at < whole.size();) {
    starts.push_back(at);
    std::uint64_t stored = 0;
    for (int i = 7; i >= 0; --i)
      stored =
          stored << 8 | static_cast<unsigned char>(whole[at + 24 + static_cast<std::size_t>(i)]);
    at += 56 + stored;
  }
  ASSERT_GE(starts.size(), 7u);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    file.write(whole.substr(0, starts[i]) + whole.substr(starts[i + 1]));
    EXPECT_EQ(codeOf(file.path()), "RL-T03") << "chunk " << i;
  }
}

TEST(DamagedTrace, NoiseNeverCrashesTheReader) {
  const TemporaryFile file;
  writeSample(file.path());
  const std::string whole = file.bytes();
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    std::string noisy = whole;
    const std::size_t from = 16 + random() % (noisy.size() - 16);
    for (std::size_t i = from; i < noisy.size() && i < from + 64; ++i)
      noisy[i] = static_cast<char>(random());
    file.write(noisy);
    EXPECT_NE(codeOf(file.path()), "");
    EXPECT_NE(accessCodeOf(file.path()), "");
  }
}

TEST(DamagedTrace, AFileOfAnotherKindIsNoTrace) {
  const TemporaryFile file;
  file.write("#include <cstdio>\nint main() { std::puts(\"hello\"); }\n");
  EXPECT_EQ(codeOf(file.path()), "RL-T01");
  file.write("");
  EXPECT_EQ(codeOf(file.path()), "RL-T01");
}

TEST(DamagedTrace, AMissingFileOrAFolderCannotBeRead) {
  EXPECT_EQ(codeOf("/no/such/file.trace"), "RL-T07");
  EXPECT_EQ(codeOf("/"), "RL-T07");
  EXPECT_EQ(accessCodeOf("/no/such/file.trace"), "RL-T07");
}

TEST(IncompleteTrace, GivesWhatIsThere) {
  const TemporaryFile file;
  Result<Writer> writer = Writer::create(file.path());
  ASSERT_TRUE(writer.has_value());
  writer->machine({"cpu", "m"});
  writer->launch({0, {7, 1, 1}, {32, 1, 1}, 0, 1});
  // As many accesses as fill several chunks, of which the last stays in memory.
  std::uint64_t written = 0;
  std::mt19937_64 random(5);
  while (std::filesystem::file_size(file.path()) < 100000) {
    WarpAccess access = affineAccess(1, 0, written++, 0, 0);
    for (std::uint64_t &address : access.addresses)
      address = random();
    ASSERT_TRUE(writer->access(access));
  }
  const Result<Trace> trace = readTrace(file.path());
  ASSERT_TRUE(trace.has_value());
  EXPECT_FALSE(trace->complete);
  EXPECT_EQ(trace->machine.name, "m");
  ASSERT_EQ(trace->launches.size(), 1u);
  EXPECT_EQ(trace->launches[0].grid[0], 7u);
  EXPECT_GT(trace->accessRecords, 0u);
  EXPECT_LE(trace->accessRecords, written);

  std::uint64_t seen = 0;
  const Result<void> done = forEachAccess(file.path(), [&](const WarpAccess &access) {
    EXPECT_EQ(access.order, seen++);
    return true;
  });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Code::IncompleteTrace);
  EXPECT_EQ(seen, trace->accessRecords);
}

TEST(TraceTotals, SoundOnesPass) {
  const TemporaryFile file;
  writeWithTotals(file.path(), {{0, 1, 5, 160, 3, 2}, {0, 9, 1, 1, 0, 1}}, 3);
  EXPECT_EQ(codeOf(file.path()), "");
  EXPECT_EQ(accessCodeOf(file.path()), "");
}

TEST(TraceTotals, RecordedAndDroppedMustSumToExecuted) {
  const TemporaryFile file;
  writeWithTotals(file.path(), {{0, 1, 5, 160, 3, 1}}, 3);
  EXPECT_EQ(codeOf(file.path()), "RL-T06");
  writeWithTotals(file.path(), {{0, 1, 2, 64, 3, ~std::uint64_t{0}}}, 3); // sums modulo 2^64
  EXPECT_EQ(codeOf(file.path()), "RL-T06");
}

TEST(TraceTotals, RowsMustSumToTheRecordsInTheFile) {
  const TemporaryFile file;
  writeWithTotals(file.path(), {{0, 1, 4, 128, 4, 0}}, 3);
  EXPECT_EQ(codeOf(file.path()), "RL-T06");
}

TEST(TraceTotals, EachRowMustHaveItsOwnRecords) {
  const TemporaryFile file;
  writeWithTotals(file.path(), {{0, 1, 2, 64, 2, 0}, {0, 2, 1, 32, 1, 0}}, 3);
  EXPECT_EQ(codeOf(file.path()), "") << "the sums agree";
  EXPECT_EQ(accessCodeOf(file.path()), "RL-T06");
}

TEST(TraceTotals, RowsMustNameExistingKernelsOnce) {
  const TemporaryFile file;
  writeWithTotals(file.path(), {{1, 1, 3, 96, 3, 0}}, 3);
  EXPECT_EQ(codeOf(file.path()), "RL-T06");
  writeWithTotals(file.path(), {{0, 1, 3, 96, 3, 0}, {0, 1, 0, 0, 0, 0}}, 3);
  EXPECT_EQ(codeOf(file.path()), "RL-T06");
}

TEST(TraceTotals, AWarpAccessHasOneTo32Lanes) {
  const TemporaryFile file;
  writeWithTotals(file.path(), {{0, 1, 3, 97, 3, 0}}, 3);
  EXPECT_EQ(codeOf(file.path()), "RL-T06");
  writeWithTotals(file.path(), {{0, 1, 3, 2, 3, 0}}, 3);
  EXPECT_EQ(codeOf(file.path()), "RL-T06");
}

TEST(TraceTotals, ASiteMustBeInTheTable) {
  const TemporaryFile file;
  Result<Writer> writer = Writer::create(file.path());
  ASSERT_TRUE(writer.has_value());
  writer->sites(toJson(sampleTable()));
  ASSERT_TRUE(writer->close({"step"}, {{0, 2, 1, 1, 0, 1}}, {}, 1, 1, 0).has_value());
  EXPECT_EQ(codeOf(file.path()), "RL-T06");
}

TEST(TraceTotals, ABadSiteTableIsNamed) {
  const TemporaryFile file;
  Result<Writer> writer = Writer::create(file.path());
  ASSERT_TRUE(writer.has_value());
  writer->sites("{\"format\": \"something else\"}");
  ASSERT_TRUE(writer->close({}, {}, {}, 0, 0, 0).has_value());
  EXPECT_EQ(codeOf(file.path()), "RL-T05");
}

} // namespace
} // namespace relayout::trace
