// SPDX-License-Identifier: Apache-2.0
// What compilers and linkers say when the machine is to blame. Their words, as seen.
#include "stages/build_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::tool {
namespace {

using testing::HasSubstr;

std::string reasonFor(const std::string &log) {
  const auto failure = environmentFailure(log);
  return failure ? failure->text : "none";
}

TEST(BuildFailures, NamesWhatTheMachineLacks) {
  EXPECT_EQ(reasonFor("/usr/bin/ld: cannot find -lboost_context: No such file or directory\n"
                      "collect2: error: ld returned 1 exit status\n"),
            "the linker finds no library 'boost_context'; install its development package");
  EXPECT_THAT(reasonFor("/tmp/ccB1x.s: Assembler messages:\n"
                        "/tmp/ccB1x.s: Fatal error: can't write 12 bytes to section .text of "
                        "/tmp/x.o: 'No space left on device'\n"),
              HasSubstr("no space left"));
  EXPECT_THAT(reasonFor("LLVM ERROR: IO failure on output stream: No space left on device\n"),
              HasSubstr("no space left"));
  EXPECT_THAT(reasonFor("g++: fatal error: cannot execute 'cc1plus': execvp: No such file or "
                        "directory\n"),
              HasSubstr("no 'cc1plus'"));
  EXPECT_THAT(reasonFor("/usr/bin/ld: cannot open output file out/program: Permission denied\n"),
              HasSubstr("no permission to write 'out/program'"));
  EXPECT_THAT(reasonFor("main.cpp:1:10: fatal error: 'vector' file not found\n"),
              HasSubstr("standard library's header 'vector'"));
}

TEST(BuildFailures, NameTheLibraryThatIsMissing) {
  EXPECT_EQ(missingLibrary("/usr/bin/ld: cannot find -lcublas: No such file or directory\n"),
            "cublas");
  EXPECT_EQ(missingLibrary("ld.lld: error: unable to find library -lcufft\n"), "cufft");
  EXPECT_EQ(missingLibrary("/usr/bin/ld: main.o: undefined reference to `solve()'\n"), "");
}

TEST(BuildFailures, LeavesTheSourcesOwnErrorsAlone) {
  EXPECT_EQ(reasonFor("main.cpp:3:5: error: use of undeclared identifier 'x'\n"), "none");
  EXPECT_EQ(reasonFor("main.cpp:1:10: fatal error: 'solver/mesh.h' file not found\n"), "none");
  EXPECT_EQ(reasonFor("/usr/bin/ld: main.o: undefined reference to `solve()'\n"), "none");
}

} // namespace
} // namespace relayout::tool
