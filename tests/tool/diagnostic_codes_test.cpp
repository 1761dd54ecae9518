// SPDX-License-Identifier: Apache-2.0
// Diagnostics of the tool itself, each produced by the situation that it names.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::test {
namespace {

using testing::HasSubstr;

constexpr const char *kProgram = R"(#include <cstdio>
struct Pair { float a, b; };
__global__ void twice(Pair *pairs) { pairs[threadIdx.x].a = 2 * pairs[threadIdx.x].b; }
int main() {
  Pair host[32] = {}, *device;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
}
)";

void expectCode(const Outcome &outcome, int exitCode, const char *code) {
  EXPECT_EQ(outcome.exitCode, exitCode) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(code));
}

TEST(DiagnosticCodes, ExplainNamesAnUnknownCode) {
  expectCode(Workplace().relayout("explain RL-Z99"), 2, "[RL-U02]");
}

TEST(DiagnosticCodes, ExplainIgnoresCase) {
  const Outcome outcome = Workplace().relayout("explain rl-r04");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("RL-R04"));
}

TEST(DiagnosticCodes, APlanThatIsNotThere) {
  const Workplace place;
  place.write("p.cu", kProgram);
  expectCode(place.relayout("rewrite p.cu --plan nowhere.json"), 1, "[RL-F01]");
}

TEST(DiagnosticCodes, AProgramFolderOfAnotherVersion) {
  const Workplace place;
  place.write("program.json", R"({"format": "relayout-program", "version": 0})");
  expectCode(place.relayout("run ."), 1, "[RL-F03]");
}

TEST(DiagnosticCodes, AToolWithoutItsRuntime) {
  const Workplace place;
  place.write("p.cu", kProgram);
  expectCode(place.shell("mkdir bin && cp \"$(command -v relayout)\" bin/ && "
                         "bin/relayout instrument p.cu -o out"),
             1, "[RL-X01]");
}

TEST(DiagnosticCodes, AHostCompilerThatIsNotThere) {
  const Workplace place;
  place.write("p.cu", kProgram);
  expectCode(place.shell("RELAYOUT_HOST_COMPILER=/nowhere/c++ relayout optimize p.cu"), 1,
             "[RL-X02]");
}

TEST(DiagnosticCodes, ACompilerThatRejectsTheLoweredProgram) {
  const Workplace place;
  place.write("p.cu", kProgram);
  place.writeScript("rejects", "#!/bin/sh\necho 'p.cpp:1:1: error: no' >&2\nexit 1\n");
  expectCode(place.shell("RELAYOUT_HOST_COMPILER=$PWD/rejects relayout optimize p.cu"), 1,
             "[RL-X03]");
}

} // namespace
} // namespace relayout::test
