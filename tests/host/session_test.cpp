// SPDX-License-Identifier: Apache-2.0
// The trace a whole process writes: accounting, sampling, digests, and how it ends.
#include "relayout/trace/reader.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

namespace relayout::trace {
namespace {

struct ProgramRun {
  int status = -1; ///< exit code, or minus the signal
  std::string output;
  std::string path;
};

class Session : public testing::Test {
protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("relayout-session-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Runs the program with this in its environment, tracing into a file of its own.
  ProgramRun run(const std::string &environment, const std::string &what = "") {
    ProgramRun result;
    result.path = folder_ / ("trace-" + std::to_string(runs_++));
    const std::string output = folder_ / "output";
    const std::string command = "env RELAYOUT_TRACE='" + result.path + "' " + environment + " " +
                                TRACED_PROGRAM + " " + what + " > '" + output + "' 2>&1";
    // NOLINTNEXTLINE(bugprone-command-processor): its redirections are the shell's
    const int status = std::system(("exec " + command).c_str());
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    std::stringstream text;
    text << std::ifstream(output).rdbuf();
    result.output = text.str();
    return result;
  }

  static Trace read(const ProgramRun &run) {
    Result<Trace> trace = readTrace(run.path);
    if (!trace)
      throw std::runtime_error(codeName(trace.error().code) + std::string(" ") +
                               trace.error().text);
    return *trace;
  }

  std::filesystem::path folder_;
  int runs_ = 0;
};

using Row = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t,
                       std::uint32_t, std::vector<std::uint64_t>>;

/// Addresses count from the array, which not every system puts at the same place in each run
/// (ThreadSanitizer gives other places than those that are asked for).
std::vector<Row> accessesOf(const std::string &path) {
  const Result<Trace> trace = readTrace(path);
  const std::uint64_t base =
      trace && !trace->allocations.empty() ? trace->allocations.front().address : 0;
  std::vector<Row> rows;
  const Result<void> read = forEachAccess(path, [&](const WarpAccess &a) {
    std::vector<std::uint64_t> offsets(a.addresses.begin(), a.addresses.end());
    for (std::uint64_t &address : offsets)
      address -= address == 0 ? 0 : base; // 0: the lane is not active
    rows.emplace_back(a.launch, a.block, a.warp, a.site, a.order, a.activeMask, std::move(offsets));
    return true;
  });
  EXPECT_TRUE(read) << (read ? "" : read.error().text);
  return rows;
}

std::vector<std::uint64_t> countsOf(const Trace &trace) {
  std::vector<std::uint64_t> numbers;
  for (const SiteCount &count : trace.counts) {
    EXPECT_EQ(count.recorded + count.dropped, count.warpAccesses);
    numbers.insert(numbers.end(), {count.kernel, count.site, count.warpAccesses, count.laneAccesses,
                                   count.recorded, count.dropped});
  }
  for (const LoopCount &loop : trace.loops)
    numbers.insert(numbers.end(), {loop.kernel, loop.loop, loop.warpEntries, loop.warpIterations});
  return numbers;
}

/// What traced_program.cpp executes, worked out from its text thread by thread.
struct Expected {
  std::uint64_t readLanes = 0, writeLanes = 0, readWarps = 0, writeWarps = 0;
};
Expected expectedOfUneven() {
  Expected expected;
  constexpr int kThreads = 100 * 96 - 5;
  for (int block = 0; block < 100; ++block)
    for (int warp = 0; warp < 3; ++warp) {
      int longest = 0;
      bool writes = false;
      for (int lane = 0; lane < 32; ++lane) {
        const int thread = warp * 32 + lane;
        const int i = block * 96 + thread;
        if (i >= kThreads)
          continue;
        const int trips = (block + thread / 8) % 7;
        longest = std::max(longest, trips);
        expected.readLanes += static_cast<std::uint64_t>(trips);
        expected.writeLanes += i % 3 == 0;
        writes = writes || i % 3 == 0;
      }
      expected.readWarps += static_cast<std::uint64_t>(longest);
      expected.writeWarps += writes;
    }
  return expected;
}

TEST_F(Session, FullTraceHoldsEveryWarpAccess) {
  const ProgramRun run = this->run("RELAYOUT_TRACE_MODE=full");
  EXPECT_EQ(run.status, 7);
  EXPECT_EQ(run.output, "done\n");
  const Trace trace = read(run);
  EXPECT_TRUE(trace.complete);
  EXPECT_THAT(trace.kernels, testing::ElementsAre("uneven", "flags"));
  EXPECT_EQ(trace.launches.size(), 6u);
  EXPECT_EQ(trace.launchesExecuted, 6u);
  EXPECT_EQ(trace.blocksExecuted, 600u);
  EXPECT_EQ(trace.blocksSampled, 600u);
  EXPECT_EQ(trace.allocations.size(), 1u);
  EXPECT_EQ(trace.machine.kind, "cpu");
  EXPECT_FALSE(trace.machine.name.empty());

  const Expected expected = expectedOfUneven();
  ASSERT_EQ(trace.counts.size(), 3u);
  EXPECT_EQ(trace.counts[0].site, 2u);
  EXPECT_EQ(trace.counts[0].warpAccesses, 3 * expected.readWarps);
  EXPECT_EQ(trace.counts[0].laneAccesses, 3 * expected.readLanes);
  EXPECT_EQ(trace.counts[1].site, 3u);
  EXPECT_EQ(trace.counts[1].warpAccesses, 3 * expected.writeWarps);
  EXPECT_EQ(trace.counts[1].laneAccesses, 3 * expected.writeLanes);
  for (const SiteCount &count : trace.counts)
    EXPECT_EQ(count.dropped, 0u);

  const std::vector<Row> rows = accessesOf(run.path);
  EXPECT_EQ(rows.size(), 3 * (expected.readWarps + expected.writeWarps + 300));
  const auto place = [](const Row &row) {
    return std::tuple(std::get<0>(row), std::get<1>(row), std::get<2>(row), std::get<4>(row));
  };
  for (std::size_t i = 1; i < rows.size(); ++i)
    ASSERT_LT(place(rows[i - 1]), place(rows[i])) << "records are ordered";
}

TEST_F(Session, WorkersDoNotChangeTheTrace) {
  std::vector<std::string> modes = {"RELAYOUT_TRACE_MODE=full", "RELAYOUT_TRACE_MODE=sampled",
                                    "RELAYOUT_MAX_BYTES=5000 RELAYOUT_SAMPLE_BLOCKS=10"};
  for (int bytes = 20000; bytes < 20200; bytes += 24) // the space ends somewhere else each time
    modes.push_back("RELAYOUT_TRACE_MODE=full RELAYOUT_MAX_BYTES=" + std::to_string(bytes));
  for (const std::string &mode : modes) {
    const ProgramRun one = run(mode + " RELAYOUT_WORKERS=1");
    const ProgramRun four = run(mode + " RELAYOUT_WORKERS=4");
    EXPECT_EQ(countsOf(read(one)), countsOf(read(four))) << mode;
    EXPECT_EQ(accessesOf(one.path), accessesOf(four.path)) << mode;
  }
}

TEST_F(Session, RecordedAndDroppedAreAllThatWasExecuted) {
  const std::vector<std::uint64_t> full = countsOf(read(run("RELAYOUT_TRACE_MODE=full")));
  for (const char *mode : {"RELAYOUT_TRACE_MODE=counts", "RELAYOUT_TRACE_MODE=sampled",
                           "RELAYOUT_TRACE_MODE=full RELAYOUT_MAX_BYTES=20000",
                           "RELAYOUT_TRACE_MODE=full RELAYOUT_MAX_BYTES=0"}) {
    const ProgramRun limited = run(mode);
    const Trace trace = read(limited);
    std::uint64_t recorded = 0, dropped = 0;
    for (std::size_t i = 0; i < trace.counts.size(); ++i) {
      const SiteCount &count = trace.counts[i];
      EXPECT_EQ(count.recorded + count.dropped, count.warpAccesses) << mode;
      EXPECT_EQ(count.warpAccesses, full[6 * i + 2]) << mode;
      EXPECT_EQ(count.laneAccesses, full[6 * i + 3]) << mode;
      recorded += count.recorded;
      dropped += count.dropped;
    }
    EXPECT_EQ(accessesOf(limited.path).size(), recorded) << mode;
    EXPECT_GT(dropped, 0u) << mode;
  }
}

TEST_F(Session, SampledBlocksAreSpreadAndOffsetByLaunch) {
  const ProgramRun run = this->run("RELAYOUT_SAMPLE_BLOCKS=10");
  const Trace trace = read(run);
  EXPECT_EQ(trace.launches[0].sampleStride, 10u);
  EXPECT_EQ(trace.blocksSampled, 60u);
  for (const Row &row : accessesOf(run.path))
    EXPECT_EQ(std::get<1>(row) % 10, std::get<0>(row) % 10);
}

TEST_F(Session, ASparseRunRecordsTheSameBlocksAndEstimatesTheCounts) {
  const ProgramRun whole = this->run("RELAYOUT_SAMPLE_BLOCKS=10");
  const ProgramRun sparse = this->run("RELAYOUT_SAMPLE_BLOCKS=10 RELAYOUT_SPARSE=1");
  EXPECT_EQ(accessesOf(sparse.path), accessesOf(whole.path));
  const Trace counted = read(whole), estimated = read(sparse);
  EXPECT_EQ(estimated.machine.kind, "sparse cpu");
  EXPECT_EQ(estimated.blocksExecuted, 600u);
  ASSERT_EQ(estimated.counts.size(), counted.counts.size());
  for (std::size_t i = 0; i < counted.counts.size(); ++i) {
    const auto exact = static_cast<double>(counted.counts[i].warpAccesses);
    EXPECT_NEAR(static_cast<double>(estimated.counts[i].warpAccesses), exact, 0.1 * exact);
    EXPECT_EQ(estimated.counts[i].recorded, counted.counts[i].recorded);
  }
}

TEST_F(Session, ARunThatTakesTooLongGoesOnSparsely) {
  const ProgramRun run = this->run("RELAYOUT_SPARSE_AFTER=1 RELAYOUT_WORKERS=1", "'at length'");
  EXPECT_EQ(run.status, 0);
  const Trace trace = read(run);
  EXPECT_TRUE(trace.complete);
  EXPECT_EQ(trace.machine.kind, kSparseCpu);
  EXPECT_EQ(trace.blocksExecuted, 8000u);
  ASSERT_EQ(trace.counts.size(), 1u);
  EXPECT_EQ(trace.counts[0].warpAccesses, 8000u) << "those that ran stand for all";
  EXPECT_EQ(trace.counts[0].laneAccesses, 8000u * 32);
  EXPECT_EQ(trace.counts[0].recorded, trace.blocksSampled) << "also in the launch that was cut";
  const Trace whole = read(this->run("RELAYOUT_SPARSE_AFTER=100"));
  EXPECT_EQ(whole.machine.kind, "cpu");
}

TEST_F(Session, ASparseRunThatWaitsOrFailsForWantOfResultsIsEnded) {
  for (const char *what : {"wait", "demand"}) {
    const ProgramRun run = this->run("RELAYOUT_SPARSE=1 RELAYOUT_SAMPLE_BLOCKS=3 "
                                     "RELAYOUT_END_AFTER=1",
                                     what);
    EXPECT_EQ(run.status, 0) << what << ": " << run.output;
    const Trace trace = read(run);
    EXPECT_TRUE(trace.complete);
    EXPECT_EQ(trace.machine.kind, kEndedCpu);
    EXPECT_GE(trace.copies.size(), 1u);
    for (const SiteCount &count : trace.counts)
      EXPECT_EQ(count.recorded + count.dropped, count.warpAccesses);
  }
  EXPECT_EQ(run("RELAYOUT_SPARSE=1 RELAYOUT_SAMPLE_BLOCKS=3", "demand").status, -SIGABRT)
      << "nothing was said of an end";
  EXPECT_EQ(run("RELAYOUT_END_AFTER=100", "demand").status, 0);
}

/// As of a kernel that runs until the host, which it does not wait for, says so.
TEST_F(Session, ARunThatIsEndedHasWhatItsBlocksRecorded) {
  for (const int workers : {1, 2}) {
    const ProgramRun run = this->run(
        "RELAYOUT_END_AFTER=1 RELAYOUT_WORKERS=" + std::to_string(workers), "'without end'");
    EXPECT_EQ(run.status, 0) << run.output;
    const Trace trace = read(run);
    EXPECT_TRUE(trace.complete);
    EXPECT_EQ(trace.machine.kind, kEndedCpu);
    ASSERT_EQ(trace.counts.size(), 1u);
    EXPECT_EQ(trace.counts[0].laneAccesses, trace.counts[0].warpAccesses * 32);
    EXPECT_GT(trace.counts[0].recorded, 1000u);
    EXPECT_GT(trace.counts[0].dropped, 0u);
    EXPECT_FALSE(trace.loops.empty());
  }
}

TEST_F(Session, ACrashOfHostCodeEndsTheTraceInOrderWhereThatIsAskedFor) {
  const ProgramRun run = this->run("RELAYOUT_END_AT_CRASH=1", "abort");
  EXPECT_EQ(run.status, 128 + SIGABRT) << run.output;
  const Trace trace = read(run);
  EXPECT_TRUE(trace.complete);
  EXPECT_EQ(trace.machine.kind, "cpu");
  EXPECT_NE(trace.launchesExecuted, 0u);
  EXPECT_EQ(this->run("RELAYOUT_END_AT_CRASH=0", "abort").status, -SIGABRT);
}

TEST_F(Session, ASparseRunLeavesOutBlocksOfNamedKernelsOnly) {
  const char *const sparse =
      "RELAYOUT_SPARSE=1 RELAYOUT_SAMPLE_BLOCKS=3 RELAYOUT_TRACE_MODE=counts";
  const auto statusWith = [&](const std::string &names) {
    return run(std::string(sparse) + " RELAYOUT_SPARSE_KERNELS='" + names + "'", "demand").status;
  };
  EXPECT_EQ(statusWith("uneven\nother"), 0) << "all blocks of 'flags' ran";
  EXPECT_EQ(statusWith("uneven\nflags"), -SIGABRT);
}

TEST_F(Session, ExitClosesTheTraceAndCrashesDoNot) {
  const ProgramRun exited = run("", "exit");
  EXPECT_EQ(exited.status, 3);
  EXPECT_TRUE(read(exited).complete);
  const ProgramRun aborted = run("", "abort");
  EXPECT_EQ(aborted.status, -SIGABRT);
  EXPECT_FALSE(read(aborted).complete);
  const ProgramRun left = run("", "_exit");
  EXPECT_EQ(left.status, 0);
  EXPECT_FALSE(read(left).complete);
}

TEST_F(Session, DigestsSeeValuesAndNotPadding) {
  const Trace trace = read(run("", "copies"));
  ASSERT_EQ(trace.copies.size(), 6u);
  const CopyDigest &first = trace.copies[0], &second = trace.copies[2], &third = trace.copies[4];
  EXPECT_EQ(first.bytes, 8000u);
  EXPECT_EQ(first.paddingBytes, 3000u);
  EXPECT_EQ(first.place, "copies.cu:12");
  EXPECT_EQ(first.digest.size(), 32u);
  EXPECT_EQ(first.digest, second.digest);
  EXPECT_NE(first.digest, third.digest);
  // The note is for one copy only.
  EXPECT_EQ(trace.copies[1].paddingBytes, 0u);
  EXPECT_EQ(trace.copies[1].place, "");
  EXPECT_NE(trace.copies[1].digest, trace.copies[3].digest);
}

TEST_F(Session, CopiesOfTheHostAreCountedByArrayDirectionAndPlace) {
  const Trace trace = read(run("", "copies"));
  // Thrice allocated at one address: 8000 bytes to it, and back by either call.
  ASSERT_EQ(trace.transfers.size(), 3u);
  for (const HostTransfer &transfer : trace.transfers) {
    EXPECT_EQ(transfer.address, trace.allocations[0].address);
    EXPECT_EQ(transfer.copies, 3u);
    EXPECT_EQ(transfer.bytes, 3 * 8000u);
  }
  EXPECT_FALSE(trace.transfers[0].isToHost);
  EXPECT_EQ(trace.transfers[1].place, "");
  EXPECT_EQ(trace.transfers[2].place, "copies.cu:12");
  EXPECT_TRUE(trace.transfers[2].isToHost);
}

TEST_F(Session, StatesOfSharedArraysAreTheSameInEveryLayout) {
  const Trace trace = read(run("", "shared"));
  // At synchronisations 1 to 16 and 32, of either array, and at the end of each.
  ASSERT_EQ(trace.copies.size(), 2 * 17u + 2);
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    EXPECT_TRUE(trace.copies[i].isState());
    EXPECT_EQ(trace.copies[i].place, "array allocated at shared.cu:3");
    EXPECT_EQ(trace.copies[i].bytes, 800u);
    EXPECT_EQ(trace.copies[i].paddingBytes, 300u);
  }
  for (std::size_t i = 0; i + 2 < trace.copies.size(); i += 2) {
    EXPECT_EQ(trace.copies[i].digest, trace.copies[i + 1].digest) << i;
    EXPECT_NE(trace.copies[i].digest, trace.copies[i + 2].digest) << i;
  }
  EXPECT_NE(trace.copies[34].digest, trace.copies[35].digest);
}

TEST_F(Session, AnUnwritableTraceDoesNotStopTheProgram) {
  const ProgramRun run = this->run("RELAYOUT_TRACE=/nonexistent/trace");
  EXPECT_EQ(run.status, 7);
  EXPECT_THAT(run.output, testing::HasSubstr("relayout: warning: no trace is written"));
  EXPECT_THAT(run.output, testing::HasSubstr("RL-T07"));
}

} // namespace
} // namespace relayout::trace
