// SPDX-License-Identifier: Apache-2.0
// Starting, feeding and ending child processes.
#include "processes/files.h"
#include "processes/process.h"
#include "processes/run_progress.h"
#include "processes/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace relayout::tool {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

/// Runs a shell script; its output is in `output` of the folder.
ProcessResult runScript(const TemporaryFolder &folder, const std::string &script,
                        Input input = Input::Nothing, seconds limit = seconds(0)) {
  const auto result = runProcess({.command = {"sh", "-c", script},
                                  .outputFile = folder.file("output"),
                                  .limit = limit,
                                  .input = input});
  EXPECT_TRUE(result) << result.error().text;
  return result.value_or(ProcessResult{.exitCode = -1});
}

std::string outputOf(const TemporaryFolder &folder, const std::string &script, Input input) {
  EXPECT_TRUE(runScript(folder, script, input).succeeded());
  return readFile(folder.file("output")).value_or("none");
}

/// Standard input of this process while the object lives.
class InputIs {
public:
  explicit InputIs(int descriptor) : before_(dup(STDIN_FILENO)) {
    dup2(descriptor, STDIN_FILENO);
    close(descriptor);
  }
  InputIs(const InputIs &) = delete;
  InputIs &operator=(const InputIs &) = delete;
  ~InputIs() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }

private:
  int before_;
};

TEST(Process, SaysHowAProgramEnded) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  EXPECT_TRUE(runScript(*folder, "echo words; echo more >&2").succeeded());
  EXPECT_EQ(readFile(folder->file("output")).value_or(""), "words\nmore\n");
  EXPECT_EQ(runScript(*folder, "exit 3").describe(), "ended with exit code 3");
  EXPECT_EQ(runScript(*folder, "kill -SEGV $$").describe(),
            "ended with signal 11 (Segmentation fault)");
}

TEST(Process, AProgramThatIsNotThereIsAnError) {
  const auto result = runProcess({.command = {"/no/such/program"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::ProcessNotStarted);
  EXPECT_THAT(result.error().text, HasSubstr("'/no/such/program': No such file or directory"));
}

TEST(Process, RunsInAFolderWithAnEnvironment) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const auto result = runProcess({.command = {"sh", "-c", "pwd; echo $RELAYOUT_WORD"},
                                  .environment = {{"RELAYOUT_WORD", "here"}},
                                  .outputFile = folder->file("output"),
                                  .folder = folder->file("")});
  ASSERT_TRUE(result);
  EXPECT_THAT(readFile(folder->file("output")).value_or(""), HasSubstr("\nhere\n"));
  EXPECT_THAT(readFile(folder->file("output")).value_or(""),
              HasSubstr(folder->file("").substr(0, folder->file("").size() - 1)));
}

TEST(Process, ALimitEndsAllThatAProgramStarted) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const auto began = std::chrono::steady_clock::now();
  const ProcessResult result =
      runScript(*folder, "sleep 300 & echo $! > '" + folder->file("id") + "'; sleep 300",
                Input::Nothing, seconds(1));
  EXPECT_EQ(result.describe(), "timed out after 1 s");
  EXPECT_FALSE(result.succeeded());
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(20));
  const int id = std::stoi(readFile(folder->file("id")).value_or("0"));
  ASSERT_GT(id, 0);
  for (int tenths = 0; kill(id, 0) == 0 && tenths < 50; ++tenths)
    usleep(100'000);
  // A container without an init process keeps what was killed as a zombie.
  const std::string state =
      readFile("/proc/" + std::to_string(id) + "/stat").value_or("0 (sleep) Z");
  EXPECT_THAT(state, HasSubstr(") Z"));
}

TEST(Process, EachRunReadsTheSameFromAPipe) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "one\ntwo\n", 8), 8);
  const InputIs pipe(ends[0]);
  // The writer is still there: a program that stops reading must not wait for its end.
  EXPECT_EQ(outputOf(*folder, "read word; echo $word", Input::Ours), "one\n");
  EXPECT_EQ(outputOf(*folder, "cat", Input::Nothing), "");
  ASSERT_EQ(write(ends[1], "three\n", 6), 6);
  close(ends[1]);
  EXPECT_EQ(outputOf(*folder, "cat", Input::Ours), "one\ntwo\nthree\n");
  EXPECT_EQ(outputOf(*folder, "cat", Input::Ours), "one\ntwo\nthree\n");
}

TEST(ProgressFile, SaysWhichLaunchAndBlockRuns) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = folder->file("progress");
  {
    const ProgressFile progress(path);
    EXPECT_EQ(progress.describe(), "");
    std::array<char, sizeof(RunProgress)> page{};
    const std::array<std::uint64_t, 3> numbers{3, 40, 41}; // begun may run ahead of the blocks
    std::memcpy(page.data(), numbers.data(), sizeof numbers);
    std::strcpy(page.data() + sizeof numbers, "step");
    const int file = open(path.c_str(), O_WRONLY);
    EXPECT_EQ(write(file, page.data(), page.size()), static_cast<ssize_t>(page.size()));
    close(file);
    EXPECT_EQ(progress.describe(), "launch 3: 'step', block 40 of 40");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
} // namespace relayout::tool
