// SPDX-License-Identifier: Apache-2.0
// `--remap`: the roles of thread indices, exchanged where kernels gain by it.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// One kernel whose lanes stride over rows, one whose lanes are adjacent.
constexpr const char *kTwoKernels = R"(#include "rows.h"
__global__ void scale(float *a, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n)
    a[row * n + column] *= 2.0f;
}
__global__ void add(float *a, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n)
    a[row * n + column] += 1.0f;
}
int main(int, char **argv) {
  const int n = atoi(argv[1]);
  float *host = new float[n * n], *device;
  for (int i = 0; i < n * n; ++i)
    host[i] = float(i % 97);
  cudaMalloc(&device, n * n * sizeof(float));
  cudaMemcpy(device, host, n * n * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 block(kSide, kSide), grid((n + kSide - 1) / kSide, (n + kSide - 1) / kSide);
  for (int step = 0; step < 4; ++step) {
    scale<<<grid, block>>>(device, n);
    add<<<grid, block>>>(device, n);
  }
  cudaMemcpy(host, device, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device);
  delete[] host;
}
)";

void writeProgram(const Workplace &place) {
  place.write("src/grid.cu", kTwoKernels);
  place.write("include/rows.h", "#pragma once\n#include <cstdlib>\nconstexpr int kSide = 16;\n");
}

TEST(Remap, ExchangesRolesInKernelsThatGain) {
  const Workplace place;
  writeProgram(place);
  const Outcome outcome =
      place.relayout("optimize src/grid.cu -Iinclude --remap --json -o out -- 200");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(answer["result"]["remapped"], nlohmann::json({"scale"}));
  const std::string text = place.read("out/rewritten/grid.cu");
  EXPECT_THAT(text, HasSubstr("row = blockIdx.x * blockDim.y + threadIdx.y;"));
  EXPECT_THAT(text, HasSubstr("scale<<<grid, dim3(block.y, block.x, block.z)>>>"));
  EXPECT_THAT(text, HasSubstr("add<<<grid, block>>>"));
  EXPECT_THAT(place.read("out/changes.diff"), HasSubstr("--- a/"));
  EXPECT_THAT(place.read("out/report.txt"), HasSubstr("threads of 'scale' exchange the roles"));
  EXPECT_THAT(outcome.out, HasSubstr("identical"));
}

TEST(Remap, LeavesAProgramAloneThatDoesNotGain) {
  const Workplace place;
  std::string text = kTwoKernels;
  text.replace(text.find("    scale<<<"), text.find("    add<<<") - text.find("    scale<<<"), "");
  place.write("src/grid.cu", text);
  place.write("include/rows.h", "#pragma once\n#include <cstdlib>\nconstexpr int kSide = 16;\n");
  const Outcome outcome = place.relayout("optimize src/grid.cu -Iinclude --remap -o out -- 200");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("nothing to rewrite"));
}

TEST(Remap, StandsWithoutALayoutThatIsRefused) {
  const Workplace place;
  writeProgram(place);
  std::string text = kTwoKernels;
  text.insert(text.find("int main"), "struct Point { float x, y, z, w, a, b, c, d; };\n"
                                     "__global__ void sum(Point *p, float *all) {\n"
                                     "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "  p[i].x += all[i] + reinterpret_cast<float *>(p)[8 * i];\n"
                                     "}\n");
  text.insert(text.find("  const dim3 block"),
              "  Point *points;\n  cudaMalloc(&points, 4096 * sizeof(Point));\n"
              "  cudaMemset(points, 0, 4096 * sizeof(Point));\n"
              "  for (int step = 0; step < 20; ++step)\n    sum<<<32, 128>>>(points, device);\n");
  place.write("src/grid.cu", text);
  const Outcome outcome =
      place.relayout("optimize src/grid.cu -Iinclude --remap --layout soa -o out -- 200");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("warning: "));
  EXPECT_THAT(outcome.err, Not(HasSubstr("error: ")));
  EXPECT_THAT(outcome.out, HasSubstr("verified: "));
  EXPECT_THAT(place.read("out/rewritten/grid.cu"), HasSubstr("dim3(block.y, block.x, block.z)"));
}

TEST(Remap, ByItselfShowsTheChange) {
  const Workplace place;
  writeProgram(place);
  const Outcome outcome = place.relayout("rewrite src/grid.cu -Iinclude --remap");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("+    add<<<grid, dim3(block.y, block.x, block.z)>>>"));
  const Outcome both = place.relayout("rewrite src/grid.cu -Iinclude --remap --layout soa");
  EXPECT_EQ(both.exitCode, 2);
}

TEST(Remap, IsOfTheCpuAndOfPolicyReplay) {
  const Workplace place;
  writeProgram(place);
  for (const char *options : {"--on gpu", "--policy nakai"}) {
    const Outcome outcome = place.relayout(std::string("optimize src/grid.cu -Iinclude --remap ") +
                                           options + " -- 200");
    EXPECT_EQ(outcome.exitCode, 2) << options;
    EXPECT_THAT(outcome.err, HasSubstr("--remap")) << options;
  }
}

} // namespace
} // namespace relayout::test
