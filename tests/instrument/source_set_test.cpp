// SPDX-License-Identifier: Apache-2.0
// Diffs are checked with `patch`, which must turn the old text into the new one.
#include "relayout/instrument/source_set.h"
#include "relayout/instrument/text_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;

class SourceSetFolder : public testing::Test {
protected:
  SourceSetFolder() {
    std::string pattern = (fs::temp_directory_path() / "relayout-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~SourceSetFolder() override { fs::remove_all(folder); }

  static std::string read(const fs::path &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder;
};

TEST(UnifiedDiff, LooksAsDiffPrintsIt) {
  const std::string before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
  const std::string after = "one\ntwo\nthree\nfour\n5\nsix\nseven\neight\nnine\nten\n";
  EXPECT_EQ(unifiedDiff({{{"/x/a.cu", "a.cu", before, after}}}),
            "--- a/a.cu\n+++ b/a.cu\n@@ -2,8 +2,9 @@\n two\n three\n four\n-five\n+5\n six\n"
            " seven\n eight\n nine\n+ten\n");
}

TEST(UnifiedDiff, FarChangesAreHunksOfTheirOwn) {
  std::string before;
  for (int i = 1; i <= 30; ++i)
    before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("5\n"), 2, "five\n");
  after.replace(after.find("25\n"), 3, "");
  EXPECT_EQ(unifiedDiff({{{"/x/a", "a", before, after}}}),
            "--- a/a\n+++ b/a\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
            "@@ -22,7 +22,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n");
}

TEST(UnifiedDiff, GeneratedFilesAreAdditionsAndEqualOnesAreSilent) {
  EXPECT_EQ(unifiedDiff({{{"/x/a", "a", "same\n", "same\n"}, {"", "b.h", "", "new\n"}}}),
            "--- /dev/null\n+++ b/b.h\n@@ -0,0 +1 @@\n+new\n");
}

/// More edits than the shortest script is looked for, around lines that occur once.
TEST_F(SourceSetFolder, PatchAppliesADiffOfManyLines) {
  std::string before, after;
  for (int i = 0; i < 30000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    before += i % 3 == 0 ? "{\n" : line;
    after += i % 3 == 0 ? "{\n" : (i % 3 == 1 ? "other " + line + "}\n" : line);
  }
  std::ofstream(folder / "a.cu") << before;
  std::ofstream(folder / "d.patch") << unifiedDiff({{{"/x/a.cu", "a.cu", before, after}}});
  ASSERT_EQ(std::system(("cd " + folder.string() + " && patch -s -p1 < d.patch").c_str()), 0);
  EXPECT_EQ(read(folder / "a.cu"), after);
  std::string replaced = before;
  const std::vector<TextChange> changes = textChanges(before, after);
  for (auto change = changes.rbegin(); change != changes.rend(); ++change)
    replaced.replace(change->offset, change->length, change->text);
  EXPECT_EQ(replaced, after);
}

TEST_F(SourceSetFolder, PatchAppliesTheDiff) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::string before, after;
    const int lines = static_cast<int>(random() % 40);
    for (int i = 0; i < lines; ++i) {
      const std::string line = "line " + std::to_string(random() % 6) + "\n";
      before += line;
      switch (random() % 6) {
      case 0:
        break;
      case 1:
        after += "other " + std::to_string(random() % 3) + "\n";
        break;
      case 2:
        after += line + "more\n";
        break;
      default:
        after += line;
      }
    }
    if (random() % 4 == 0)
      before += "no end";
    if (random() % 4 == 0)
      after += "no end";
    if (before == after || before.empty() || after.empty())
      continue;
    std::ofstream(folder / "a.cu") << before;
    std::ofstream(folder / "d.patch") << unifiedDiff({{{"/x/a.cu", "a.cu", before, after}}});
    ASSERT_EQ(std::system(("cd " + folder.string() + " && patch -s -p1 < d.patch").c_str()), 0)
        << read(folder / "d.patch");
    ASSERT_EQ(read(folder / "a.cu"), after) << read(folder / "d.patch");
  }
}

TEST_F(SourceSetFolder, WritesAllFilesBelowTheFolder) {
  const SourceSet set{{{"/x/a.cu", "a.cu", "old", "new"}, {"", "include/b.h", "", "header"}}};
  ASSERT_TRUE(writeSources(set, (folder / "out").string()).has_value());
  EXPECT_EQ(read(folder / "out/a.cu"), "new");
  EXPECT_EQ(read(folder / "out/include/b.h"), "header");
}

TEST_F(SourceSetFolder, OneFileThatCannotBeWrittenLeavesAllAlone) {
  std::ofstream(folder / "a.cu") << "before";
  fs::create_directories(folder / "b.h");
  const auto written =
      writeSources({{{"/x/a.cu", "a.cu", "", "after"}, {"", "b.h", "", "x"}}}, folder.string());
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, Code::FileUnwritable);
  EXPECT_EQ(read(folder / "a.cu"), "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);
}

TEST_F(SourceSetFolder, TheProgramsOwnSourcesAreNotOverwritten) {
  std::ofstream(folder / "a.cu") << "before";
  fs::create_directory_symlink(folder, folder / "same");
  for (const char *out : {"", "same"}) {
    const auto written = writeSources({{{(folder / "a.cu").string(), "a.cu", "before", "after"}}},
                                      (folder / out).string());
    ASSERT_FALSE(written.has_value());
    EXPECT_THAT(written.error().text, testing::HasSubstr("the program's own source"));
  }
  EXPECT_EQ(read(folder / "a.cu"), "before");
}

TEST_F(SourceSetFolder, NoFileLeavesTheFolder) {
  for (const char *path : {"../evil", "/tmp/evil", "a/../../evil", ""}) {
    const auto written = writeSources({{{"", path, "", "x"}}}, (folder / "out").string());
    ASSERT_FALSE(written.has_value()) << path;
    EXPECT_EQ(written.error().code, Code::FileUnwritable);
  }
  EXPECT_FALSE(fs::exists(folder / "evil"));
}

} // namespace
} // namespace relayout::instrument
