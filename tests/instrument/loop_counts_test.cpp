// SPDX-License-Identifier: Apache-2.0
// The arithmetic of loops counts as often as they run, whatever memory they read.
#include "lowered_program.h"
#include "probed_program.h"

#include "relayout/analysis/compiler_model/program_code.h"
#include "relayout/trace/reader.h"

#include <gmock/gmock.h>

#include <vector>

namespace relayout::instrument {
namespace {

/// The kernel's, by the model and the loops' counts.
double instructionsOf(const std::string &text) {
  const ProgramText program(text);
  const std::string path = program.folder() + "/trace";
  EXPECT_EQ(runLowered(program, Probes::Trace, hostCompilers().front(), "RELAYOUT_TRACE=" + path),
            "exit 0");
  const auto trace = trace::readTrace(path);
  if (!trace)
    return 0;
  const analysis::ProgramCode code = analysis::codeOf(trace->sites);
  double instructions = code.kernels.at(0).arithmetic.instructions;
  for (std::size_t i = 0; i < code.loops.size(); ++i)
    for (const trace::LoopCount &count : trace->loops)
      if (count.loop == trace->sites.loops[i].id)
        instructions +=
            static_cast<double>(count.warpIterations) * code.loops[i].arithmetic.instructions;
  return instructions;
}

/// Every thread with every element, by tiles in shared memory.
/// \param tile  declares it
/// \param fill  copies `q` there
/// \param loop  over the tile's `count` elements
double allPairs(const std::string &tile, const std::string &fill, const std::string &loop,
                const std::string &functions = {}) {
  return instructionsOf(R"(
#include <cuda_runtime.h>
struct P { float x, y, z, w; };
__device__ float pull(float x, float y, float z, float w) {
  return w / sqrtf(x * x + y * y + z * z + 0.01f); }
)" + functions + R"(
__global__ void k(const P *p, float *out, int n, int count) {
  )" + tile + R"(
  const P own = p[threadIdx.x];
  float sum = 0;
  for (int first = 0; first < n; first += 32) {
    const P q = p[first + threadIdx.x];
    )" + fill + R"(
    __syncthreads();
    )" + loop + R"(
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
int main() {
  P *p; float *out;
  cudaMalloc(&p, 256 * sizeof(P)); cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(p, 0, 256 * sizeof(P));
  k<<<1, 32>>>(p, out, 256, 32);
  return cudaDeviceSynchronize();
})");
}

TEST(LoopCounts, TilesOfEveryKindTakeAsLong) {
  const std::string head = "for (int j = 0; j < count; ++j) ";
  const std::string vector = "__shared__ float4 tile[32];";
  const std::string fillVector = "tile[threadIdx.x] = make_float4(q.x, q.y, q.z, q.w);";
  const std::string pullOfVector =
      "{ const float4 b = tile[j]; sum += pull(b.x - own.x, b.y - own.y, b.z - own.z, b.w); }";
  const std::string pullOfRecord = "sum += pull(tile[j].x - own.x, tile[j].y - own.y, "
                                   "tile[j].z - own.z, tile[j].w);";
  const double planes = allPairs(
      "__shared__ float xs[32], ys[32], zs[32], ws[32];",
      "xs[threadIdx.x] = q.x; ys[threadIdx.x] = q.y; zs[threadIdx.x] = q.z; ws[threadIdx.x] = q.w;",
      head + "sum += pull(xs[j] - own.x, ys[j] - own.y, zs[j] - own.z, ws[j]);");
  const std::vector<double> others = {
      allPairs(vector, fillVector, head + pullOfVector),
      allPairs(vector, fillVector, "int j = 0; while (j < count) { " + pullOfVector + " ++j; }"),
      allPairs(vector, fillVector, "int j = 0; do " + pullOfVector + " while (++j < count);"),
      allPairs(vector, fillVector,
               "for (const float4 &b : tile) "
               "sum += pull(b.x - own.x, b.y - own.y, b.z - own.z, b.w);"),
      allPairs(vector, fillVector, "for (int j = 0; j < 32; ++j) " + pullOfVector),
      allPairs("__shared__ P tile[32];", "tile[threadIdx.x] = q;", head + pullOfRecord),
      allPairs("__shared__ P tile[32];", "tile[threadIdx.x] = q;",
               "sum += ofTile(tile, own, count);",
               "__device__ float ofTile(const P *tile, const P &own, int count) { float sum = 0; " +
                   head + pullOfRecord + " return sum; }"),
      allPairs(vector, fillVector, "sum += ofTile(tile, own, count);",
               "template <class T> __device__ float ofTile(const T *tile, const P &own, int count) "
               "{ float sum = 0; " +
                   head + pullOfVector + " return sum; }")};
  EXPECT_GT(planes, 256 * 20);
  for (const double other : others) // four words take four instructions, a vector one
    EXPECT_NEAR(other / planes, 1, 0.25);
}

TEST(LoopCounts, AWarpIteratesAsOftenAsItsSlowestLane) {
  const auto iterating = [](const std::string &count) {
    return instructionsOf("#include <cuda_runtime.h>\nstruct P { float x; };\n"
                          "__global__ void k(P *p) {\n"
                          "  float s = p[threadIdx.x].x;\n"
                          "  for (int i = 0; i < " +
                          count +
                          "; ++i) s = sqrtf(s + 1);\n"
                          "  p[threadIdx.x].x = s; }\n"
                          "int main() { P *p; cudaMalloc(&p, 32 * sizeof(P));\n"
                          "  cudaMemset(p, 0, 32 * sizeof(P)); k<<<1, 32>>>(p);\n"
                          "  return cudaDeviceSynchronize(); }\n");
  };
  EXPECT_DOUBLE_EQ(iterating("threadIdx.x + 1"), iterating("blockDim.x"));
  EXPECT_GT(iterating("threadIdx.x + 1"), 1.9 * iterating("threadIdx.x / 2 + 1") - 40);
}

TEST(LoopCounts, AreTheSameWhereTheDeviceHasOtherText) {
  const auto instructionsWith = [](const std::string &front) {
    return instructionsOf("#include <cuda_runtime.h>\n" + front +
                          "struct P { float x; };\n"
                          "__global__ void k(P *p, int count) {\n"
                          "  float s = p[threadIdx.x].x;\n"
                          "  for (int i = 0; i < count; ++i) s = sqrtf(s + 1);\n"
                          "  p[threadIdx.x].x = s; }\n"
                          "int main() { P *p; cudaMalloc(&p, 32 * sizeof(P));\n"
                          "  cudaMemset(p, 0, 32 * sizeof(P)); k<<<1, 32>>>(p, 40);\n"
                          "  return cudaDeviceSynchronize(); }\n");
  };
  const double same = instructionsWith("");
  EXPECT_GT(same, 40);
  EXPECT_DOUBLE_EQ(instructionsWith("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600\n"
                                    "__device__ void old();\n#endif\n"),
                   same);
}

TEST(LoopCounts, OnAGpuTheyAreInRegisters) {
  const Probed probed(R"(
__global__ void k(P *p, int n) {
  float s = p[threadIdx.x].x;
  for (int i = 0; i < n; ++i)
    s = sqrtf(s + i);
  while (s > 1)
    s /= 2;
  for (int i = 0; i < 8; ++i)
    s += 1;
  p[threadIdx.x].x = s;
})");
  EXPECT_EQ(probed.times("iterated<0>()"), 1);        // where records are made
  EXPECT_EQ(probed.times("relayoutTogether"), 2 * 3); // where not, and in the twin
  EXPECT_EQ(probed.times("iterated<1>()"), 3);
  EXPECT_EQ(probed.text.find("iterated<2>()"), std::string::npos) << probed.text;
}

} // namespace
} // namespace relayout::instrument
