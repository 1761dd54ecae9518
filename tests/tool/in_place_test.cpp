// SPDX-License-Identifier: Apache-2.0
// `rewrite --write` and `undo`: all or none, and nothing of the user's is lost.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <unistd.h>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class InPlace : public testing::Test {
protected:
  InPlace() { place.write("src/prog.cu", kProgram); }

  Outcome rewrite(const std::string &options = "") const {
    return place.relayout("rewrite src/prog.cu --layout soa --write " + options);
  }
  [[nodiscard]] std::string text() const { return place.read("src/prog.cu"); }

  static inline const std::string kProgram = "struct Body { float x, y; };\n"
                                             "__global__ void k(Body *b) {\n"
                                             "  b[threadIdx.x].x = 1; // a comment: \xe9\n"
                                             "}\n"
                                             "int main() {\n"
                                             "  Body *b;\n"
                                             "  cudaMalloc(&b, 32 * sizeof(Body));\n"
                                             "  k<<<1, 32>>>(b);\n"
                                             "  cudaFree(b);\n"
                                             "}\n";
  Workplace place;
};

TEST_F(InPlace, UndoRestoresEverything) {
  const std::string before = place.shell("ls -R src").out;
  const Outcome written = rewrite();
  ASSERT_EQ(written.exitCode, 0) << written.err;
  EXPECT_NE(text(), kProgram);
  const Outcome undone = place.shell("(cd src && relayout undo)");
  EXPECT_EQ(undone.exitCode, 0) << undone.err;
  EXPECT_EQ(text(), kProgram);
  EXPECT_EQ(place.shell("ls -R src").out, before);
  EXPECT_FALSE(place.has("src/.relayout"));
  const Outcome again = place.relayout("undo src");
  EXPECT_EQ(again.exitCode, 1);
  EXPECT_THAT(again.err, HasSubstr("there is nothing to undo"));
}

TEST_F(InPlace, ASecondRunSaysThatItIsDone) {
  ASSERT_EQ(rewrite().exitCode, 0);
  const std::string once = text();
  const Outcome again = rewrite();
  EXPECT_EQ(again.exitCode, 0);
  EXPECT_THAT(again.err, HasSubstr("already rewritten"));
  EXPECT_EQ(text(), once);
}

TEST_F(InPlace, AnotherLayoutReplacesTheFirst) {
  ASSERT_EQ(rewrite().exitCode, 0);
  const std::string soa = place.read("src/body_layout.h");
  const Outcome again = place.relayout("rewrite src/prog.cu --layout aosoa-32 --write");
  EXPECT_EQ(again.exitCode, 0) << again.err;
  EXPECT_NE(place.read("src/body_layout.h"), soa);
  EXPECT_THAT(place.read("src/body_layout.h"), HasSubstr("kTile = 32"));
  EXPECT_EQ(rewrite().exitCode, 0);
  EXPECT_EQ(place.read("src/body_layout.h"), soa);
  EXPECT_EQ(place.relayout("undo src").exitCode, 0);
  EXPECT_EQ(text(), kProgram);
  EXPECT_FALSE(place.has("src/body_layout.h"));
}

TEST_F(InPlace, WithoutItsJournalARewriteIsNamed) {
  const std::string copying = "  Body host[32];\n"
                              "  cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);\n"
                              "  cudaFree(b);\n";
  for (const bool copies : {false, true}) { // what the header says then is refused, else nothing
    std::string program = kProgram;
    if (copies)
      program.replace(program.find("  cudaFree"), std::string("  cudaFree(b);\n").size(), copying);
    place.write("src/prog.cu", program);
    ASSERT_EQ(rewrite().exitCode, 0);
    const std::string once = text(), header = place.read("src/body_layout.h");
    place.shell("rm -r src/.relayout");
    const Outcome again = place.relayout("rewrite src/prog.cu --layout aosoa-32 --write");
    EXPECT_EQ(again.exitCode, copies ? 3 : 0) << again.err;
    EXPECT_THAT(again.err, HasSubstr("src/body_layout.h:1:"));
    EXPECT_THAT(again.err, HasSubstr("this header is of an earlier rewrite"));
    EXPECT_EQ(text(), once);
    EXPECT_EQ(place.read("src/body_layout.h"), header);
    place.shell("rm src/body_layout.h");
  }
}

TEST_F(InPlace, ASecondRunThatFailsKeepsTheFirst) {
  ASSERT_EQ(rewrite().exitCode, 0);
  const std::string once = text(), header = place.read("src/body_layout.h");
  const Outcome refused = place.relayout("rewrite src/prog.cu --layout aligned-aos-512 --write");
  EXPECT_EQ(refused.exitCode, 2) << refused.err;
  EXPECT_EQ(text(), once);
  EXPECT_EQ(place.read("src/body_layout.h"), header);
  EXPECT_EQ(place.relayout("undo src").exitCode, 0);
  EXPECT_EQ(text(), kProgram);
}

TEST_F(InPlace, FilesThatWereChangedSinceAreNotLost) {
  ASSERT_EQ(rewrite().exitCode, 0);
  place.write("src/prog.cu", text() + "// mine\n");
  const Outcome refused = place.relayout("undo src");
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_THAT(refused.err, HasSubstr("'prog.cu' was changed after the rewrite"));
  EXPECT_THAT(text(), HasSubstr("// mine"));
  EXPECT_EQ(place.relayout("undo --force src").exitCode, 0);
  EXPECT_EQ(text(), kProgram);
}

TEST_F(InPlace, UncommittedChangesAreNotMixedUp) {
  if (place.shell("command -v git").exitCode != 0)
    GTEST_SKIP() << "no git here";
  ASSERT_EQ(place
                .shell("git init -q . && git add src && git -c user.name=n -c user.email=e "
                       "commit -q -m one")
                .exitCode,
            0);
  place.write("src/prog.cu", kProgram + "// mine\n");
  const Outcome refused = rewrite();
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_THAT(refused.err, HasSubstr("src/prog.cu' has uncommitted changes"));
  EXPECT_EQ(text(), kProgram + "// mine\n");
  EXPECT_EQ(rewrite("--allow-dirty").exitCode, 0);
  EXPECT_THAT(text(), HasSubstr("// mine"));
  EXPECT_EQ(place.relayout("undo src").exitCode, 0);
  EXPECT_EQ(text(), kProgram + "// mine\n");
  place.write("src/prog.cu", kProgram);
  EXPECT_EQ(rewrite().exitCode, 0);
  EXPECT_THAT(place.shell("git status --porcelain").out, Not(HasSubstr(".relayout")));
}

TEST_F(InPlace, ModesAndLinksAreKept) {
  place.shell("chmod 640 src/prog.cu && ln src/prog.cu twin.cu");
  ASSERT_EQ(rewrite().exitCode, 0);
  EXPECT_EQ(place.shell("stat -c '%a %h' src/prog.cu").out, "640 2\n");
  EXPECT_EQ(place.read("twin.cu"), text());
  EXPECT_EQ(place.relayout("undo src").exitCode, 0);
  EXPECT_EQ(place.shell("stat -c '%a %h' src/prog.cu").out, "640 2\n");
  EXPECT_EQ(place.read("twin.cu"), kProgram);
  place.shell("rm twin.cu && chmod 755 src/prog.cu");
  ASSERT_EQ(rewrite().exitCode, 0);
  EXPECT_EQ(place.shell("stat -c '%a %h' src/prog.cu").out, "755 1\n");
}

TEST_F(InPlace, LineEndsAreKept) {
  std::string windows;
  for (const char c : kProgram)
    windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  place.write("src/prog.cu", windows);
  const Outcome written = rewrite();
  ASSERT_EQ(written.exitCode, 0) << written.err;
  EXPECT_EQ(place.shell("grep -vc \"$(printf '\\r')\\$\" src/prog.cu").out, "0\n");
}

TEST_F(InPlace, WhereAFileCannotBeWrittenNoneIs) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may write everywhere";
  place.shell("chmod 555 src");
  const Outcome refused = rewrite();
  place.shell("chmod 755 src");
  EXPECT_EQ(refused.exitCode, 1);
  EXPECT_THAT(refused.err, HasSubstr("Permission denied"));
  EXPECT_EQ(text(), kProgram);
}

/// The diff starts where `git apply` does, whatever folder relayout is called in.
TEST_F(InPlace, DiffsStartAtTheRootOfTheRepository) {
  if (place.shell("git init -q . && git add src").exitCode != 0)
    GTEST_SKIP() << "no git here";
  const Outcome rewritten =
      place.shell("cd src && relayout rewrite prog.cu --layout soa >../changes.diff");
  ASSERT_EQ(rewritten.exitCode, 0) << rewritten.err;
  EXPECT_THAT(place.read("changes.diff"), HasSubstr("+++ b/src/body_layout.h\n"));
  const Outcome applied = place.shell("git apply changes.diff");
  EXPECT_EQ(applied.exitCode, 0) << applied.err;
  const std::string byGit = text();
  ASSERT_EQ(place.shell("git apply -R changes.diff").exitCode, 0);
  ASSERT_EQ(rewrite("--allow-dirty").exitCode, 0);
  EXPECT_EQ(byGit, text());
}

TEST_F(InPlace, ExportedFixesGiveTheSameFiles) {
  if (place.shell("command -v clang-apply-replacements").exitCode != 0)
    GTEST_SKIP() << "no clang-apply-replacements here";
  place.shell("mkdir fixes");
  const Outcome exported =
      place.relayout("rewrite src/prog.cu --layout soa --export-fixes fixes/relayout.yaml");
  ASSERT_EQ(exported.exitCode, 0) << exported.err;
  EXPECT_EQ(text(), kProgram);
  const Outcome applied = place.shell("clang-apply-replacements fixes");
  EXPECT_EQ(applied.exitCode, 0) << applied.err;
  const std::string byClang = text();
  EXPECT_NE(byClang, kProgram);
  const std::string header = place.read("src/body_layout.h");
  place.write("src/prog.cu", kProgram);
  EXPECT_EQ(place.relayout("rewrite src/prog.cu --layout soa --export-fixes f.yaml").exitCode, 1)
      << "a header of this name is there";
  place.shell("rm src/body_layout.h");
  ASSERT_EQ(rewrite().exitCode, 0);
  EXPECT_EQ(byClang, text());
  EXPECT_EQ(header, place.read("src/body_layout.h"));
}

} // namespace
} // namespace relayout::test
