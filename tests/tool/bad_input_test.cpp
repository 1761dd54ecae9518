// SPDX-License-Identifier: Apache-2.0
// Every kind of bad input ends in one clear error with the documented exit code, and loses nothing.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char *kStream = R"(
#include <cstdio>
#include <cstdlib>
struct Pair { float a, b; };
__global__ void twice(Pair *pairs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    pairs[i].a = 2.0f * pairs[i].b;
}
int main(int argc, char **) {
  const int n = 64;
  Pair host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {0.0f, float(i)};
  Pair *device;
  cudaMalloc(&device, n * sizeof(Pair));
  cudaMemcpy(device, host, n * sizeof(Pair), cudaMemcpyHostToDevice);
  BODY
  cudaFree(device);
  return 0;
}
)";

std::string streamWith(const std::string &body) {
  std::string text = kStream;
  return text.replace(text.find("BODY"), 4, body);
}

const std::string kLaunch = "twice<<<2, 32>>>(device, n);";
const std::string kCopyBack = "cudaMemcpy(host, device, n * sizeof(Pair), cudaMemcpyDeviceToHost);";

TEST(BadInput, NoSubcommandIsUsage) {
  const Workplace place;
  EXPECT_EQ(place.relayout("").exitCode, 2);
}

TEST(BadInput, UnknownSubcommandIsUsage) {
  const Workplace place;
  const Outcome outcome = place.relayout("optimise x.cu");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'optimise'"));
}

TEST(BadInput, MisspelledOptionIsUsageAndNamed) {
  const Workplace place;
  const Outcome outcome = place.relayout("optimize x.cu --polcy nakai");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'--polcy'"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-U01]"));
}

TEST(BadInput, UnknownPolicyIsUsage) {
  const Workplace place;
  EXPECT_EQ(place.relayout("optimize x.cu --policy magic").exitCode, 2);
}

TEST(BadInput, EverySubcommandHasHelp) {
  const Workplace place;
  for (const char *command : {"optimize", "instrument", "run", "analyze", "rewrite", "verify",
                              "trace", "trace dump", "explain"}) {
    const Outcome outcome = place.relayout(std::string(command) + " --help");
    EXPECT_EQ(outcome.exitCode, 0) << command;
    EXPECT_THAT(outcome.out, HasSubstr("Usage")) << command;
  }
  EXPECT_THAT(place.relayout("--help").out, HasSubstr("3 refused, no file touched"));
}

TEST(BadInput, MissingFile) {
  const Workplace place;
  const Outcome outcome = place.relayout("optimize nowhere.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("'nowhere.cu'"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-C01]"));
}

TEST(BadInput, EmptyFileHasNoKernel) {
  const Workplace place;
  place.write("empty.cu", "");
  const Outcome outcome = place.relayout("optimize empty.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-C03]"));
}

TEST(BadInput, CodeThatDoesNotParseShowsClangsErrors) {
  const Workplace place;
  place.write("broken.cu", "__global__ void k(int *p) { p[0] = ; }\n");
  const Outcome outcome = place.relayout("optimize broken.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-C02]"));
  EXPECT_THAT(outcome.err, HasSubstr("broken.cu:1:36"));
  EXPECT_THAT(outcome.err, HasSubstr("expected expression"));
}

TEST(BadInput, UnitsThatDoNotParseAreNamedInTheirLanguage) {
  const Workplace place;
  place.write("k.cu", "__global__ void k(int *p) { p[0] = 1; }\nint main() { return 0; }\n");
  place.write("broken.c", "int broken(void) { return ; + }\n");
  const Outcome outcome = place.relayout("optimize k.cu broken.c");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("'broken.c' does not parse as C [RL-C02]"));
}

TEST(BadInput, ProgramWithoutKernels) {
  const Workplace place;
  place.write("host.cu", "struct P { int a, b; };\nint main() { P p[2]; return p[0].a * 0; }\n");
  const Outcome outcome = place.relayout("optimize host.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-C03]"));
}

TEST(BadInput, ProgramWithoutArrays) {
  const Workplace place;
  place.write("plain.cu", "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n"
                          "int main() { float *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); }\n");
  EXPECT_EQ(place.relayout("optimize plain.cu").exitCode, 0);
  const Outcome records = place.relayout("optimize plain.cu --arrays records");
  EXPECT_EQ(records.exitCode, 1);
  EXPECT_THAT(records.err, HasSubstr("[RL-C04]"));
}

TEST(BadInput, ArraysThatDoNotCountAreNamedWithTheReason) {
  const Workplace place;
  place.write("none.cu", "#include <cstdio>\n"
                         "__global__ void k() { printf(\"%d\\n\", threadIdx.x); }\n"
                         "int main() { k<<<1, 32>>>(); }\n");
  EXPECT_THAT(place.relayout("optimize none.cu").err, HasSubstr("the kernels are given no array"));
  place.write("host.cu", "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n"
                         "int main() { int *p = new int[32]; k<<<1, 32>>>(p); }\n");
  const Outcome outcome = place.relayout("optimize host.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("host.cu:1:24: note: 'k::p' (int): the same pointers lead to "
                                     "memory of the host"));
  place.write("member.cu", "#include <cstdlib>\n"
                           "struct Matrix { int width; float *elements; };\n"
                           "__global__ void k(Matrix m) { m.elements[threadIdx.x] = 1; }\n"
                           "int main() {\n"
                           "  Matrix both;\n"
                           "  both.elements = (float *)malloc(128);\n"
                           "  cudaMalloc(&both.elements, 128);\n"
                           "  k<<<1, 32>>>(both);\n"
                           "}\n");
  EXPECT_THAT(
      place.relayout("optimize member.cu").err,
      HasSubstr("member.cu:2:35: note: 'Matrix::elements' (float): the same pointers lead to "
                "memory of the host"));
}

TEST(BadInput, MissingCudaFeatureIsNamedWithItsPlace) {
  const Workplace place;
  place.write("graph.cu", "__global__ void k() {}\nint main() {\n  cudaUserObject_t object;\n}\n");
  const Outcome outcome = place.relayout("optimize graph.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("graph.cu:3:3"));
  EXPECT_THAT(outcome.err, HasSubstr("'cudaUserObject_t'"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-C05]"));
}

// A name that is missing keeps no front end from reading the rest.
TEST(BadInput, WhatDidNotParseBeforeIsNotSaidOfTheRewrite) {
  const Workplace place;
  place.write("old.cu", "struct P { float x, y; };\n"
                        "__global__ void k(P *p) { p[threadIdx.x].y = __shfl_down(1.0f, 16); }\n"
                        "int main() {\n  P *p;\n  cudaMalloc(&p, 32 * sizeof(P));\n"
                        "  k<<<1, 32>>>(p);\n}\n");
  const Outcome outcome = place.relayout("rewrite old.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("old.cu:2:46: error: the CPU executor does not have "
                                     "'__shfl_down', which this program uses [RL-C05]"));
  EXPECT_FALSE(place.has("out"));
}

TEST(BadInput, FunctionFromAnotherFileIsNamed) {
  const Workplace place;
  place.write("part.cu", "void report(int n);\n" + streamWith(kLaunch + "report(n);" + kCopyBack));
  const Outcome outcome = place.relayout("optimize part.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("'report(int)'"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-X05]"));
}

TEST(BadInput, WhatAFunctionThatNothingCallsMissesIsNoMatter) {
  const Workplace place;
  place.write("part.cu", "void report(int n);\n__device__ float lost(float x);\n"
                         "void summary() { report(1); }\n"
                         "__device__ float unused(float x) { return lost(x); }\n" +
                             streamWith(kLaunch + kCopyBack));
  const Outcome outcome = place.relayout("optimize part.cu --on cpu -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
}

TEST(BadInput, CrashingProgram) {
  const Workplace place;
  place.write("crash.cu", streamWith("std::abort();" + kLaunch));
  const Outcome outcome = place.relayout("optimize crash.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("signal 6"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-X04]"));
}

TEST(BadInput, AProgramWhoseHostCodeCrashesAtItsEndIsTakenAsItIs) {
  const Workplace place;
  place.write("frees.cu", streamWith(kLaunch + kCopyBack + "std::abort();"));
  const Outcome outcome = place.relayout("optimize frees.cu --layout soa");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the program ended with signal 6 (Aborted) in host code"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-X06]"));
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("verified: 1 copy"));
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("both ended with signal 6"));
}

TEST(BadInput, FailingProgram) {
  const Workplace place;
  place.write(
      "fails.cu",
      streamWith(R"(if (argc > 1) { puts("reading\n\nno file 'data'"); return 3; })" + kLaunch));
  const Outcome outcome = place.relayout("optimize fails.cu -- now");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("exit code 3"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-X04]"));
  EXPECT_THAT(outcome.err,
              HasSubstr("note: the last that it printed:\n    reading\n    no file 'data'\n"));
}

TEST(BadInput, ProgramThatEndsWithACodeOfItsOwn) {
  const Workplace place;
  place.write("one.cu", streamWith(kLaunch + kCopyBack + "if (argc > 1) return 3;"));
  const Outcome outcome = place.relayout("optimize one.cu --layout soa -- now");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("ended with exit code 3"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-X06]"));
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("both ended with exit code 3"));
}

TEST(BadInput, ProgramsThatEndWithDifferentCodesAreNotTheSame) {
  const Workplace place;
  place.write("one.cu", streamWith(kLaunch + kCopyBack + "if (argc > 1) return 3;"));
  place.write("two.cu", streamWith(kLaunch + kCopyBack + "if (argc > 1) return 4;"));
  const Outcome outcome = place.relayout("verify one.cu two.cu -- now");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("it ends with exit code 4, the original with exit code 3"));
}

TEST(BadInput, ExitCodesThatAreOthersInEachRunAreNotCompared) {
  const Workplace place;
  const std::string counts = "FILE *f = std::fopen(\"runs\", \"a+\"); std::fputc('x', f); "
                             "std::fseek(f, 0, SEEK_END); return int(std::ftell(f));";
  place.write("one.cu", streamWith(kLaunch + kCopyBack + counts));
  const Outcome outcome = place.relayout("verify one.cu one.cu");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy"));
  EXPECT_THAT(outcome.out, HasSubstr("the exit code is another in each run"));
}

TEST(BadInput, ARewrittenProgramMayNotEndWithAnotherCodeInEachRun) {
  const Workplace place;
  place.write("one.cu", streamWith(kLaunch + kCopyBack));
  place.write("two.cu", streamWith(kLaunch + kCopyBack +
                                   "FILE *f = std::fopen(\"runs\", \"a+\"); std::fputc('x', f); "
                                   "std::fseek(f, 0, SEEK_END); return int(std::ftell(f));"));
  const Outcome outcome = place.relayout("verify one.cu two.cu");
  EXPECT_EQ(outcome.exitCode, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("the original with exit code 0"));
}

TEST(BadInput, AccessesByPointersThatAreCastAlone) {
  const Workplace place;
  place.write("pitched.cu", R"(
#include <cstdio>
#include <vector>
struct Pixel { float r, g, b, a; int n; };
__global__ void k(Pixel *image, size_t pitch, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  Pixel *row = (Pixel *)((char *)image + y * pitch);
  row[x].r += 1;
  row[x].n++;
}
int main() {
  int w = 100, h = 50;
  Pixel *image;
  size_t pitch;
  cudaMallocPitch((void **)&image, &pitch, w * sizeof(Pixel), h);
  std::vector<Pixel> host(w * h, Pixel{1, 2, 3, 4, 0});
  cudaMemcpy2D(image, pitch, host.data(), w * sizeof(Pixel), w * sizeof(Pixel), h,
               cudaMemcpyHostToDevice);
  k<<<dim3(7, 4), dim3(16, 16)>>>(image, pitch, w, h);
  cudaMemcpy2D(host.data(), w * sizeof(Pixel), image, pitch, w * sizeof(Pixel), h,
               cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[7].r);
  cudaFree(image);
}
)");
  const Outcome outcome = place.relayout("optimize pitched.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-A01]"));
  EXPECT_THAT(outcome.err, HasSubstr("casts of others"));
}

TEST(BadInput, KernelsThatGrowBeyondWhatCudaGivesThemAreNotWritten) {
  const auto outcomeOf = [](const std::string &kernel, const std::string &launch) {
    const Workplace place;
    place.write("tables.cu", "struct P { float x, y; };\nstruct Tables { P *of[2500]; };\n" +
                                 kernel + "int main() {\n  P *p;\n  Tables tables;\n" +
                                 "  cudaMalloc(&p, 64 * sizeof(P));\n"
                                 "  for (P *&one : tables.of) one = p;\n  " +
                                 launch + "\n  cudaFree(p);\n}\n");
    const Outcome outcome = place.relayout("rewrite tables.cu --layout soa -o out");
    EXPECT_FALSE(place.has("out"));
    return outcome;
  };
  const Outcome shared = outcomeOf("__device__ P *later(P *p) {\n  __shared__ P *held[4000];\n"
                                   "  held[threadIdx.x] = p;\n  __syncthreads();\n"
                                   "  return held[63 - threadIdx.x];\n}\n"
                                   "__global__ void k(P *p) {\n  later(p)->x += 1;\n}\n",
                                   "k<<<1, 64>>>(p);");
  EXPECT_EQ(shared.exitCode, 1);
  EXPECT_THAT(shared.err, HasSubstr("kernel 'k' has 64000 bytes of __shared__ variables"));
  EXPECT_THAT(shared.err, HasSubstr("[RL-V04]"));
  const Outcome parameters =
      outcomeOf("__global__ void k(Tables tables) {\n  tables.of[threadIdx.x]->x += 1;\n"
                "  tables.of[threadIdx.x]->y += 1;\n}\n",
                "k<<<1, 64>>>(tables);");
  EXPECT_EQ(parameters.exitCode, 1) << parameters.out;
  EXPECT_THAT(parameters.err, HasSubstr("bytes of parameters, and CUDA allows 32764"));
}

TEST(BadInput, ProgramThatLaunchesNothing) {
  const Workplace place;
  place.write("idle.cu", streamWith("if (argc > 5) { " + kLaunch + " }" + kCopyBack));
  const Outcome outcome = place.relayout("optimize idle.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-T08]"));
  EXPECT_THAT(outcome.err, HasSubstr("note: 'twice' was not launched"));
}

TEST(BadInput, WhatTheExecutorFoundWrongIsSaid) {
  const Workplace place;
  place.write("wait.cu", "#include <cooperative_groups.h>\n"
                         "__global__ void k(float *p) {\n"
                         "  p[threadIdx.x] = 1;\n"
                         "  cooperative_groups::this_grid().sync();\n"
                         "}\n"
                         "int main() { float *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); }\n");
  const Outcome outcome = place.relayout("optimize wait.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("on the CPU: kernel 'k' waits for its grid, but was not "
                                     "launched by cudaLaunchCooperativeKernel [RL-H03]"));
}

TEST(BadInput, SampledBlocksThatAccessNothingAreNotAllThereIs) {
  const Workplace place;
  place.write("rare.cu",
              "__global__ void k(float *p) { if (blockIdx.x == 777) p[threadIdx.x] += 1; "
              "}\nint main() {\n  float *p, h[32];\n  cudaMalloc(&p, 128);\n"
              "  cudaMemset(p, 0, 128);\n  k<<<4096, 32>>>(p);\n"
              "  cudaMemcpy(h, p, 128, cudaMemcpyDeviceToHost);\n}\n");
  const Outcome outcome = place.relayout("optimize rare.cu");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("run it again: the sampled blocks accessed no array"));
}

TEST(BadInput, ProgramThatCopiesNothingBack) {
  const Workplace place;
  place.write("mute.cu", streamWith(kLaunch));
  const Outcome outcome = place.relayout("optimize mute.cu --layout soa");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V02]"));
}

TEST(BadInput, RefusedRewriteExitsWithThreeAndTouchesNothing) {
  const Workplace place;
  const std::string source =
      streamWith(kLaunch + "float *inside = &device[0].a; (void)inside;" + kCopyBack);
  place.write("refused.cu", source);
  const Outcome outcome = place.relayout("rewrite refused.cu --layout soa --write");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.err, HasSubstr("refused.cu:"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-R"));
  EXPECT_THAT(outcome.err, HasSubstr("note:"));
  EXPECT_EQ(place.read("refused.cu"), source);
  EXPECT_FALSE(place.has("pair_layout.h"));
}

class BadTrace : public testing::Test {
protected:
  void SetUp() override {
    place.write("good.cu", streamWith(kLaunch + kCopyBack));
    ASSERT_EQ(place.relayout("instrument good.cu -o traced").exitCode, 0);
    const Outcome run = place.relayout("run traced");
    ASSERT_EQ(run.exitCode, 0) << run.err;
    bytes = place.read("traced/trace.rlt");
  }

  Workplace place;
  std::string bytes;
};

TEST_F(BadTrace, TruncatedIsIncomplete) {
  place.write("short.rlt", bytes.substr(0, bytes.size() - 1));
  for (const char *command : {"analyze short.rlt", "trace dump short.rlt"}) {
    const Outcome outcome = place.relayout(command);
    EXPECT_EQ(outcome.exitCode, 4) << command << outcome.err;
  }
  EXPECT_THAT(place.relayout("analyze short.rlt").err, HasSubstr("[RL-T04]"));
}

TEST_F(BadTrace, AFileOfAnotherKindIsNoTrace) {
  place.write("picture.rlt", "PNG and then some bytes that no trace starts with");
  const Outcome outcome = place.relayout("analyze picture.rlt");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-T01]"));
}

TEST_F(BadTrace, DamageIsFound) {
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  place.write("damaged.rlt", damaged);
  const Outcome outcome = place.relayout("analyze damaged.rlt");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-T03]"));
}

TEST_F(BadTrace, PlanForAnotherProgramIsNotApplied) {
  ASSERT_EQ(place.relayout("analyze traced/trace.rlt -o plan.json").exitCode, 0);
  const std::string other = streamWith(kLaunch + kCopyBack + "/* edited since */");
  place.write("good.cu", other);
  const Outcome outcome = place.relayout("rewrite good.cu --plan plan.json --write");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-P03]"));
  EXPECT_EQ(place.read("good.cu"), other);
}

TEST_F(BadTrace, SomethingElseIsNoPlan) {
  place.write("plan.json", "{\"layout\": \"soa\"}");
  const Outcome outcome = place.relayout("rewrite good.cu --plan plan.json");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-P01]"));
}

TEST_F(BadTrace, UnknownLayoutNameListsTheNames) {
  const Outcome outcome = place.relayout("rewrite good.cu --layout diagonal");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("aligned-aos"));
}

TEST(BadInput, FilesThatAreNotWhatTheyShouldBeAreNamed) {
  const Workplace place;
  place.write("bad.json", "{\"name\": ");
  place.write("main.cu", "struct P { float x, y; };\n"
                         "__global__ void k(P *p) { p[threadIdx.x].x = 1; }\n"
                         "int main() { P *p; cudaMalloc(&p, 256); k<<<1, 32>>>(p);\n"
                         "  P q[32]; cudaMemcpy(q, p, 256, cudaMemcpyDeviceToHost); }\n");
  const auto errorOf = [&place](const std::string &words, int exitCode) {
    const Outcome outcome = place.relayout(words);
    EXPECT_EQ(outcome.exitCode, exitCode) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(errorOf("rewrite main.cu --plan bad.json", 1),
              AllOf(HasSubstr("bad.json: error: not a plan: parse error at line 1"),
                    Not(HasSubstr("json.exception")), HasSubstr("[RL-P01]")));
  EXPECT_THAT(errorOf("optimize main.cu --machine bad.json", 1),
              AllOf(HasSubstr("bad.json: error: not a machine file"), HasSubstr("[RL-M01]")));
  EXPECT_THAT(
      errorOf("explain P --report bad.json", 1),
      AllOf(HasSubstr("bad.json: error: not a report of policy replay"), HasSubstr("[RL-A04]")));
  EXPECT_THAT(errorOf("explain P", 2), HasSubstr("note: for a record, name the decision"));
  ASSERT_EQ(place.relayout("optimize main.cu -o out").exitCode, 0);
  const std::string trace = place.read("out/trace.rlt");
  place.write("cut.rlt", trace.substr(0, trace.size() / 2));
  EXPECT_THAT(errorOf("optimize main.cu --trace-file cut.rlt", 4), HasSubstr("[RL-T04]"));
  EXPECT_THAT(errorOf("analyze cut.rlt", 4), HasSubstr("[RL-T04]"));
}

TEST(Explain, PrintsTheParagraphOfACode) {
  const Workplace place;
  const Outcome outcome = place.relayout("explain RL-V01");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("copied other bytes"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("RL-V02")));
  EXPECT_EQ(place.relayout("explain RL-Q99").exitCode, 2);
}

} // namespace
} // namespace relayout::test
