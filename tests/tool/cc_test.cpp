// SPDX-License-Identifier: Apache-2.0
// `relayout cc -- nvcc` in the ways in which builds call nvcc. Needs nvcc, but no GPU: what the
// programs write on one is tests/gpu/tracing.py's business.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const char *const kShared = R"(#pragma once
struct Body { float x, y, mass; };
void push(Body *bodies, int n);
void pull(Body *bodies, int n);
)";
const char *const kPush = R"(#include "shared.h"
__global__ void pushAll(Body *bodies) { bodies[threadIdx.x].x += SCALE; }
void push(Body *bodies, int n) { pushAll<<<1, n>>>(bodies); }
)";
const char *const kPull = R"(#include "shared.h"
__global__ void pullAll(Body *bodies) { bodies[threadIdx.x].y -= bodies[threadIdx.x].mass; }
void pull(Body *bodies, int n) { pullAll<<<1, n>>>(bodies); }
int main(int argc, char **) {
  if (argc > 1) { push(nullptr, 1); pull(nullptr, 1); }
  return 7;
}
)";

class Cc : public testing::Test {
protected:
  void SetUp() override {
    if (place.shell("command -v nvcc").exitCode != 0)
      GTEST_SKIP() << "no nvcc here";
    place.write("include/shared.h", kShared);
    place.write("push.cu", kPush);
    place.write("pull.cu", kPull);
  }

  /// The program has the probes of both files, calls the hooks, and does what it says.
  void expectTraced(const std::string &program) const {
    const std::string text = place.read(program);
    EXPECT_THAT(text, HasSubstr("push.cu"));
    EXPECT_THAT(text, HasSubstr("pull.cu"));
    EXPECT_THAT(text, HasSubstr("librelayout_gpu.so"));
    EXPECT_THAT(text, HasSubstr("__wrap___cudaLaunchKernel"));
    EXPECT_EQ(place.shell("./" + program).exitCode, 7);
  }

  const Workplace place;
};

TEST_F(Cc, SeveralSourcesAndTheUsualOptions) {
  const Outcome outcome =
      place.relayout("cc -- nvcc -O2 -std=c++17 -gencode arch=compute_90,code=sm_90 -Iinclude "
                     "-DSCALE=2.0f -Xcompiler -Wall,-Wextra push.cu pull.cu -o both");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("warning"))) << "our probes cause none";
  expectTraced("both");
}

TEST_F(Cc, AMakefileThatTakesNvcc) {
  place.write("Makefile", "NVCC = nvcc\n"
                          "both: push.o pull.o\n\t$(NVCC) -arch=sm_90 $^ -o $@\n"
                          "%.o: %.cu\n\t$(NVCC) -arch sm_90 -I include -D SCALE=1 -c $< -o $@\n");
  if (place.shell("command -v make").exitCode != 0)
    GTEST_SKIP() << "no make here";
  const Outcome outcome = place.shell("make NVCC='relayout cc -- nvcc' both");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
  expectTraced("both");
}

TEST_F(Cc, ErrorsAndExitCodeAreNvccs) {
  place.write("broken.cu", "struct Body { float x; };\n"
                           "__global__ void k(Body *b) { b[0].x = 1; }\n"
                           "int main() { return undeclared; }\n");
  const Outcome own = place.shell("nvcc -arch=sm_90 -c broken.cu");
  const Outcome traced = place.relayout("cc -q -- nvcc -arch=sm_90 -c broken.cu");
  EXPECT_NE(own.exitCode, 0);
  EXPECT_EQ(traced.exitCode, own.exitCode);
  EXPECT_THAT(traced.err, HasSubstr("broken.cu(3): error: identifier \"undeclared\""));
  EXPECT_EQ(place.relayout("cc -- nvcc --no-such-option push.cu").exitCode,
            place.shell("nvcc --no-such-option push.cu").exitCode);
}

TEST_F(Cc, RelocatableDeviceCodeStaysAsItIs) {
  const Outcome outcome =
      place.relayout("cc -- nvcc -arch=sm_90 -Iinclude -DSCALE=1 -dc push.cu -o push.o");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[RL-G01]"));
  EXPECT_THAT(place.read("push.o"), Not(HasSubstr("relayoutGpuRegister")));
}

} // namespace
} // namespace relayout::test
