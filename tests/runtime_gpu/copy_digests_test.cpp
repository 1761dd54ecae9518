// SPDX-License-Identifier: Apache-2.0
// librelayout_copies.so in a program whose CUDA runtime is a stand-in.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace relayout {
namespace {

class CopyDigests : public testing::Test {
protected:
  ~CopyDigests() override { std::filesystem::remove_all(folder_); }

  /// The lines of a run. \param padding  the file of an earlier one; empty: none
  std::vector<std::string> run(const std::string &arguments, const std::string &padding,
                               const std::string &file) {
    const std::string command = "LD_PRELOAD='" COPIES_LIBRARY "' RELAYOUT_COPIES='" + at(file) +
                                "' RELAYOUT_COPY_PADDING='" + (padding.empty() ? "" : at(padding)) +
                                "' '" COPYING_PROGRAM "' " + arguments;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream stream(at(file));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
      lines.push_back(line);
    EXPECT_EQ(lines.size(), 3u);
    lines.resize(3);
    return lines;
  }

  [[nodiscard]] std::string at(const std::string &file) const { return folder_ / file; }

private:
  static std::filesystem::path newFolder() {
    std::string name = std::filesystem::temp_directory_path() / "relayout-copies-XXXXXX";
    return mkdtemp(name.data());
  }

  const std::filesystem::path folder_ = newFolder();
};

TEST_F(CopyDigests, WithoutNotesEveryByteCounts) {
  const auto first = run("17 5 silent", "", "a");
  const auto second = run("34 5 silent", "", "b");
  EXPECT_TRUE(first[0].starts_with("800 ")) << first[0];
  EXPECT_EQ(first[0].size(), 4 + 32u);
  EXPECT_TRUE(first[1].starts_with("400 ")) << first[1];
  EXPECT_NE(first[0], second[0]);
  EXPECT_NE(first[1], second[1]);
  EXPECT_EQ(first, run("17 5 silent", "", "c"));
}

TEST_F(CopyDigests, NotedPaddingIsLeftOutOfThisAndLaterRuns) {
  const auto noted = run("17 5 says", "", "noted");
  EXPECT_EQ(noted[0].substr(36), " 300 8 5:3") << noted[0];
  EXPECT_EQ(noted[1].substr(36), " 150 8 5:3") << "rows of a record each: " << noted[1];
  EXPECT_EQ(noted[2].size(), 2 + 32u) << "a note is for one copy only: " << noted[2];
  const auto later = run("34 5 silent", "noted", "later");
  EXPECT_EQ(later[0], noted[0]);
  EXPECT_EQ(later[1], noted[1]);
  const auto other = run("17 6 silent", "noted", "other");
  EXPECT_NE(other[0], noted[0]) << "values still count";
}

TEST_F(CopyDigests, PaddingOfACopyOfAnotherSizeIsNotTakenOver) {
  std::ofstream(at("noted")) << "808 00 303 8 5:3\n400 00 150 8 5:3\n";
  const auto lines = run("17 5 silent", "noted", "later");
  EXPECT_EQ(lines[0].size(), 4 + 32u) << lines[0];
  EXPECT_EQ(lines[1].substr(36), " 150 8 5:3");
}

} // namespace
} // namespace relayout
