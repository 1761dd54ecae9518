// SPDX-License-Identifier: Apache-2.0
// `relayout cc -- nvcc` in the ways in which builds call nvcc. Needs nvcc, but no GPU: what the
// programs write on one is tests/gpu/tracing.py's business.
#include "relayout_command.h"

#include <fmt/format.h>
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

TEST_F(Cc, OlderDialectsAreRaisedToThatOfTheProbes) {
  for (const char *dialect : {"-std=c++11", "--std c++14"}) {
    const Outcome outcome = place.relayout(fmt::format(
        "cc -- nvcc {} -arch=sm_90 -DSCALE=2 push.cu pull.cu -Iinclude -o program", dialect));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    expectTraced("program");
  }
}

TEST_F(Cc, SourcesOfOneCommandAreOneProgramToAllStages) {
  place.write("host.cu", "int unused = 3;\n"); // nothing to trace, and part of the program
  const Outcome lowered =
      place.relayout("instrument push.cu pull.cu host.cu -Iinclude -DSCALE=2.0f -o lowered");
  ASSERT_EQ(lowered.exitCode, 0) << lowered.err;
  const std::string sites = place.read("lowered/sites.json");
  const std::string key = "\"sourceDigest\": \"";
  const std::size_t digest = sites.find(key);
  ASSERT_NE(digest, std::string::npos);
  for (const char *linked : {"", "-rdc=true "}) {
    const Outcome built = place.relayout(fmt::format(
        "cc -- nvcc -arch=sm_90 {}-Iinclude -DSCALE=2.0f push.cu pull.cu host.cu -o program",
        linked));
    ASSERT_EQ(built.exitCode, 0) << built.err;
    EXPECT_THAT(place.read("program"), HasSubstr(sites.substr(digest, key.size() + 32))) << linked;
  }
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

TEST_F(Cc, TriesAgainWhereNvccCannotFollowTheProbes) {
  place.write("tools/nvcc",
              "#!/bin/sh\n"
              "case \"$*\" in *-DRELAYOUT_LOADS_POINTERS*|*dryrun*) ;;\n"
              "*) echo 'error: Broken function found, compilation aborted!'; exit 1;;\n"
              "esac\n"
              "PATH=${PATH#*:} exec nvcc \"$@\"\n");
  const Outcome outcome =
      place.shell("chmod +x tools/nvcc; PATH=$PWD/tools:$PATH relayout cc -- nvcc -arch=sm_90 "
                  "-Iinclude -DSCALE=1 push.cu pull.cu -o both");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("Broken"))) << "the second try went well";
  expectTraced("both");
}

TEST_F(Cc, DependencyFilesNameTheSources) {
  if (place.shell("command -v ccache").exitCode != 0)
    GTEST_SKIP() << "no ccache here";
  const std::string flags = "-arch=sm_90 -DSCALE=1 ";
  place.write("flags.rsp", "-I\"include\" -MD -MT t");
  const Outcome outcome = place.relayout("cc -- ccache nvcc " + flags +
                                         "--options-file flags.rsp -MF push.d -x cu -c push.cu "
                                         "-o push.o");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const std::string written = place.read("push.d");
  EXPECT_THAT(written, HasSubstr("t : push.cu"));
  EXPECT_THAT(written, HasSubstr(" include/shared.h"));
  EXPECT_THAT(written, Not(HasSubstr("/probed/")));
  EXPECT_THAT(place.read("push.o"), HasSubstr("push.cu"));
  // Each object beside its dependency file, and -MP's targets.
  const Outcome two =
      place.relayout("cc -- nvcc " + flags + "-Iinclude -MD -MP -c push.cu pull.cu");
  ASSERT_EQ(two.exitCode, 0) << two.err;
  EXPECT_THAT(place.read("pull.d"), HasSubstr("pull.cu"));
  EXPECT_THAT(place.read("pull.d"), Not(HasSubstr("/probed/")));
}

TEST_F(Cc, WhatABuildCompiledIsAProgram) {
  place.write("host.cpp", "int unused = 3;\n");
  const Outcome built = place.shell(
      "relayout cc --record build -- nvcc -arch=sm_90 -Iinclude -DSCALE=2.0f -c push.cu -o p.o && "
      "relayout cc --record build -- nvcc -arch=sm_90 -Iinclude -c pull.cu -o q.o & "
      "relayout cc --record build -- g++ -c host.cpp -o h.o & wait && "
      "relayout cc --record build -- nvcc -arch=sm_90 p.o q.o h.o -o both");
  ASSERT_EQ(built.exitCode, 0) << built.err;
  expectTraced("both");
  const Outcome read = place.relayout("instrument -p build -o lowered");
  EXPECT_EQ(read.exitCode, 0) << read.err;
  EXPECT_THAT(place.read("lowered/sites.json"), HasSubstr("push.cu"));
  EXPECT_THAT(place.read("lowered/sites.json"), HasSubstr("pull.cu"));
  EXPECT_THAT(place.read("build/compile_commands.json"), HasSubstr("host.cpp"));
}

TEST_F(Cc, ACommandOfSeveralSourcesIsOneForEach) {
  const Outcome built = place.relayout("cc --record build -- nvcc -arch=sm_90 -Iinclude -DSCALE=1 "
                                       "-c push.cu pull.cu");
  ASSERT_EQ(built.exitCode, 0) << built.err;
  const std::string database = place.read("build/compile_commands.json");
  EXPECT_THAT(database, HasSubstr("\"push.cu\""));
  EXPECT_THAT(database, HasSubstr("\"pull.cu\""));
  EXPECT_THAT(database, Not(HasSubstr("\"push.cu\",\n   \"pull.cu\"")));
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

/// Of CUDA, each needs what the headers of the CPU executor lack.
struct Foreign {
  const char *name, *source;
};
const Foreign kToolkitPrograms[] = {
    {"Graphs", R"(
__global__ void k(Body *b) { b[threadIdx.x].x = 1; }
int main() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  k<<<1, 32, 0, stream>>>(nullptr);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&runnable, graph, 0);
  cudaGraphLaunch(runnable, stream);
})"},
    {"LaunchesWithAttributes", R"(
__global__ void k(Body *b) { b[threadIdx.x].x = 1; }
int main() {
  Body *bodies = nullptr;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 2;
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  cudaLaunchKernelEx(&configuration, k, bodies);
})"},
    {"CooperativeGroups", R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(Body *b) {
  const cg::grid_group grid = cg::this_grid();
  b[grid.thread_rank()].x = 1;
  grid.sync();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const float y = cg::reduce(warp, 1.0f, cg::plus<float>());
  if (warp.thread_rank() == 0)
    b[grid.block_rank()].y = y;
}
int main() {
  Body *bodies = nullptr;
  void *arguments[] = {&bodies};
  cudaLaunchCooperativeKernel(reinterpret_cast<void *>(k), 1, 32, arguments);
})"},
    {"TheDriver", R"(
#include <cuda.h>
__global__ void k(Body *b) { b[threadIdx.x].x = 1; }
int main() {
  CUdeviceptr bodies;
  cudaFunction_t function;
  cuMemAlloc(&bodies, 32 * sizeof(Body));
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(k));
  void *arguments[] = {&bodies};
  cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
})"},
    {"MembersAndCallsSeldomUsed", R"(
__global__ void k(Body *b) {
#if __CUDA_ARCH__ >= 700
  __nanosleep(1);
#endif
  b[threadIdx.x].x = 1;
}
int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  Body *bodies = nullptr;
  cudaMallocFromPoolAsync(reinterpret_cast<void **>(&bodies), properties.persistingL2CacheMaxSize,
                          nullptr, nullptr);
  cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  k<<<1, 32>>>(bodies);
})"},
};

class CcAgainstTheToolkit : public Cc, public testing::WithParamInterface<Foreign> {};

TEST_P(CcAgainstTheToolkit, GetsProbesAndCompiles) {
  place.write("prog.cu", std::string("#include <cuda_runtime.h>\n"
                                     "struct Body { float x, y; };") +
                             GetParam().source);
  const Outcome outcome =
      place.relayout("cc --keep probed -- nvcc -arch=sm_90 -std=c++17 prog.cu -lcuda -o prog");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("without probes")));
  EXPECT_THAT(place.shell("cat probed/*/prog.cu").out, HasSubstr(".access<"));
  EXPECT_THAT(place.read("prog"), HasSubstr("prog.cu"));
}

INSTANTIATE_TEST_SUITE_P(Toolkit, CcAgainstTheToolkit, testing::ValuesIn(kToolkitPrograms),
                         [](const auto &test) { return std::string(test.param.name); });

TEST_F(Cc, ASourceWithoutProbesIsAnErrorUnlessAllowed) {
  // Clang has no __nv_is_extended_device_lambda_closure_type; nvcc has.
  place.write("lambda.cu",
              "struct Body { float x; };\n"
              "__global__ void k(Body *b) {\n"
              "  auto f = [] {};\n"
              "  if (!__nv_is_extended_device_lambda_closure_type(decltype(f))) b[0].x = 1;\n"
              "}\n");
  const std::string compile = "-- nvcc -arch=sm_90 --extended-lambda -c lambda.cu -o lambda.o";
  const Outcome refused = place.relayout("cc " + compile);
  EXPECT_EQ(refused.exitCode, 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("'lambda.cu' gets no probes"));
  EXPECT_THAT(refused.err, HasSubstr("--allow-unprobed"));
  EXPECT_FALSE(place.has("lambda.o"));
  const Outcome allowed = place.relayout("cc --allow-unprobed " + compile);
  EXPECT_EQ(allowed.exitCode, 0) << allowed.err;
  EXPECT_THAT(allowed.err, HasSubstr("'lambda.cu' is compiled without probes"));
  EXPECT_TRUE(place.has("lambda.o"));
}

TEST_F(Cc, WhatClangCannotReadIsCompiledWithoutProbesAndSaidSo) {
  place.write("odd.cu", "struct Body { float x; };\n"
                        "__global__ void k(Body *b) { b[0].x = __no_such_call(); }\n");
  const Outcome outcome = place.relayout("cc --allow-unprobed -- nvcc -arch=sm_90 -c odd.cu");
  EXPECT_THAT(outcome.err, HasSubstr("'odd.cu' is compiled without probes"));
  EXPECT_THAT(outcome.err, HasSubstr("odd.cu:2:39: note: use of undeclared identifier"));
}

/// A kernel all of whose accesses are in a function of another file.
const char *const kNear = R"(#include "shared.h"
__device__ void pushOne(Body *bodies);
__global__ void pushThere(Body *bodies) { pushOne(bodies); }
int main(int argc, char **) {
  if (argc > 1) pushThere<<<1, 1>>>(nullptr);
  return 7;
}
)";
const char *const kFar = R"(#include "shared.h"
__device__ void pushOne(Body *bodies) { bodies[threadIdx.x].x += 1; }
)";

TEST_F(Cc, LinkedDeviceCodeHasProbesInEveryFile) {
  place.write("push.cu", kFar);
  place.write("pull.cu", kNear);
  for (const std::string file : {"push", "pull"}) {
    const Outcome outcome = place.relayout(
        fmt::format("cc --keep probed -- nvcc -arch=sm_90 -Iinclude -dc {0}.cu -o {0}.o", file));
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_THAT(place.shell("cat probed/*/pull.cu").out, HasSubstr("probe::kernel(0u)"));
  EXPECT_THAT(place.shell("cat probed/*/push.cu").out, HasSubstr(".readWrite<"));
  const Outcome linked = place.relayout("cc -- nvcc -arch=sm_90 push.o pull.o -o separate");
  EXPECT_EQ(linked.exitCode, 0) << linked.err;
  expectTraced("separate");
  const Outcome atOnce =
      place.relayout("cc -- nvcc -arch=sm_90 -Iinclude --relocatable-device-code true push.cu "
                     "pull.cu -o together");
  EXPECT_EQ(atOnce.exitCode, 0) << atOnce.err;
  EXPECT_EQ(atOnce.err, "");
  expectTraced("together");
}

TEST_F(Cc, WhatLinksDeviceCodeAloneGetsNoHooks) {
  place.write("push.cu", kFar);
  place.write("pull.cu", kNear);
  ASSERT_EQ(place.relayout("cc -- nvcc -arch=sm_90 -Iinclude -dc push.cu pull.cu").exitCode, 0);
  const Outcome device = place.relayout("cc -- nvcc -arch=sm_90 -dlink push.o pull.o -o device.o");
  EXPECT_EQ(device.exitCode, 0) << device.err;
  const Outcome host = place.relayout("cc -- nvcc -arch=sm_90 push.o pull.o device.o -o apart");
  EXPECT_EQ(host.exitCode, 0) << host.err;
}

} // namespace
} // namespace relayout::test
