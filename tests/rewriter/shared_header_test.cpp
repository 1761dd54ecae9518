// SPDX-License-Identifier: Apache-2.0
// What the generated headers of a program share, and how long they are.
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kTwoRecords = {"src/main.cpp", "src/waves.cu", "src/drops.cu"};

std::vector<fs::path> filesIn(const fs::path &folder) {
  std::vector<fs::path> files;
  for (const std::string &name : kTwoRecords)
    files.push_back(folder / name);
  return files;
}

/// Writes the program's rewritten files.
void rewriteInto(const fs::path &folder, const instrument::ParsedProgram &program,
                 const std::string &layouts) {
  const Result<Rewrite> result = rewrite(program, planFor(program, layouts));
  ASSERT_TRUE(result) << result.error().text;
  for (const Diagnostic &finding : result->findings)
    ADD_FAILURE() << render(finding);
  ASSERT_TRUE(instrument::writeSources(result->sources, folder.string()));
}

long linesOf(const fs::path &file) {
  const std::string text = readText(file);
  return std::count(text.begin(), text.end(), '\n');
}

TEST(EightFields, AreAbout110LinesAnd150SharedOnes) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "eight.cu", R"(
struct Body { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void step(Body *bodies) {
  bodies[threadIdx.x].x += bodies[threadIdx.x].vx / bodies[threadIdx.x].mass;
}
int main() {
  Body host[64] = {}, *bodies;
  cudaMalloc(&bodies, sizeof(host));
  cudaMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<1, 64>>>(bodies);
  cudaMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(bodies);
}
)");
  rewriteInto(scratch / "rewritten", programOf({scratch / "eight.cu"}), "Body soa");
  EXPECT_LE(linesOf(scratch / "rewritten" / "body_layout.h"), 110);
  EXPECT_LE(linesOf(scratch / "rewritten" / "relayout_memory.h"), 150);
  fs::remove_all(scratch);
}

class TwoRecords : public testing::TestWithParam<const char *> {};

TEST_P(TwoRecords, ShareWhatConvertsThem) {
  const fs::path scratch = scratchFolder(), rewritten = scratch / "rewritten";
  const instrument::ParsedProgram program = programOf(filesIn(folderOf("programs", "two_records")));
  rewriteInto(rewritten, program, GetParam());
  // Beside the first record's header; the other is in another folder.
  const std::string shared = readText(rewritten / "src" / "relayout_memory.h");
  const std::string wave = readText(rewritten / "include" / "wave_layout.h");
  const std::string drop = readText(rewritten / "src" / "drop_layout.h");
  EXPECT_THAT(wave, HasSubstr("#include \"../src/relayout_memory.h\""));
  EXPECT_THAT(drop, HasSubstr("#include \"relayout_memory.h\""));
  EXPECT_THAT(shared, HasSubstr("thread_local"));
  for (const std::string &header : {wave, drop})
    EXPECT_THAT(header, Not(HasSubstr("thread_local")));

  const Outcome before = runOnCpu(program, scratch / "before", "");
  const Outcome after = runOnCpu(programOf(filesIn(rewritten)), scratch / "after", "");
  EXPECT_EQ(before.code, 0) << before.output;
  EXPECT_GT(before.copiedBytes, 0u);
  EXPECT_EQ(after.copies, before.copies);
  EXPECT_EQ(after.output, before.output);
  fs::remove_all(scratch);
}

TEST_P(TwoRecords, LinkWithGccAndNvccAndOneStagingBuffer) {
  if (shell("PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin command -v nvcc g++").code != 0)
    GTEST_SKIP() << "no nvcc, or no g++, here";
  const fs::path scratch = scratchFolder();
  rewriteInto(scratch, programOf(filesIn(folderOf("programs", "two_records"))), GetParam());
  const Ran built =
      shell("cd " + scratch.string() +
            " && PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin"
            " && g++ -Wall -Werror -isystem " RELAYOUT_CUDA_ROOT "/include -c src/main.cpp"
            " && nvcc -arch=sm_90 -c src/waves.cu src/drops.cu"
            " && nvcc -o program main.o waves.o drops.o");
  EXPECT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(shell("nm -C " + (scratch / "program").string() +
                  " | grep -c 'relayout_memory::stage(.*::kept$'")
                .output,
            "1\n");
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(Layouts, TwoRecords,
                         testing::Values("Wave soa\nDrop soa",
                                         "Wave height speed @8 / phase\nDrop soa tile 32"));

/// An earlier rewrite, that nothing takes back, left its headers.
TEST(SharedHeader, StandsBesideAnEarlierOne) {
  const fs::path scratch = scratchFolder();
  const instrument::ParsedProgram program = programOf(filesIn(folderOf("programs", "two_records")));
  rewriteInto(scratch / "once", program, "Drop soa");
  const instrument::ParsedProgram once = programOf(filesIn(scratch / "once"));
  rewriteInto(scratch / "twice", once, "Wave soa");
  EXPECT_THAT(readText(scratch / "twice" / "include" / "wave_layout.h"),
              HasSubstr("#include \"relayout_memory2.h\""));
  const Outcome before = runOnCpu(program, scratch / "before", "");
  const Outcome after = runOnCpu(programOf(filesIn(scratch / "twice")), scratch / "after", "");
  EXPECT_EQ(after.copies, before.copies);
  EXPECT_EQ(after.output, before.output);
  fs::remove_all(scratch);
}

} // namespace
} // namespace relayout::rewriter::test
