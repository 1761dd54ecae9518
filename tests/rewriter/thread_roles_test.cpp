// SPDX-License-Identifier: Apache-2.0
// Which kernels exchange what their thread indices number, how their launches change with them, and
// what stands in the way.
#include "relayout/rewriter/thread_roles.h"

#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char *kCoordinates = R"(
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= 48 || column >= 40)
    return;
)";
constexpr const char *kLaunch = "scale<<<dim3(3, 3), dim3(16, 16)>>>(device);";

/// \param device  code in front of the kernel
/// \param body    behind its coordinates
std::string program(const std::string &device, const std::string &body, const std::string &launch) {
  return "#include <cstdio>\n" + device + "\n__global__ void scale(float *a) {" + kCoordinates +
         body +
         "\n}\nint main() {\n  float host[48 * 40], *device;\n"
         "  for (int i = 0; i < 48 * 40; ++i)\n    host[i] = float(i);\n"
         "  cudaMalloc(&device, sizeof(host));\n"
         "  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);\n  " +
         launch +
         "\n  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);\n"
         "  cudaFree(device);\n}\n";
}

struct Exchange {
  std::string text; ///< of the program afterwards
  std::vector<std::string> kernels;
  std::string findings;
};

Exchange exchanged(const std::string &source) {
  const fs::path file = scratchFolder() / "grid.cu";
  writeText(file, source);
  const Result<ExchangedRoles> found =
      exchangeThreadRoles(commandFor(file), [](const std::string &) { return true; });
  EXPECT_TRUE(found) << found.error().text;
  Exchange result;
  if (!found)
    return result;
  result.kernels = found->kernels;
  result.text = found->rewrite.sources.files.front().text;
  for (const Diagnostic &finding : found->rewrite.findings) {
    EXPECT_EQ(finding.severity, Severity::Warning);
    EXPECT_EQ(finding.code, Code::ThreadRolesFixed);
    result.findings += render(finding);
  }
  EXPECT_EQ(result.kernels.empty(), result.text == source);
  return result;
}

const std::string kBody = "a[row * 40 + column] *= 2;";

TEST(ThreadRoles, KernelAndLaunchChangeTogether) {
  const Exchange result =
      exchanged(program("", kBody, "scale<<<dim3(6, 2), dim3(8, 32)>>>(device);"));
  EXPECT_THAT(result.kernels, testing::ElementsAre("scale"));
  EXPECT_THAT(result.text, HasSubstr("row = blockIdx.x * blockDim.y + threadIdx.y;"));
  EXPECT_THAT(result.text, HasSubstr("column = blockIdx.y * blockDim.x + threadIdx.x;"));
  EXPECT_THAT(result.text, HasSubstr("scale<<<dim3(6, 2), dim3(32, 8)>>>(device);"));
}

TEST(ThreadRoles, BlocksInVariablesAreExchangedWhereTheyAreUsed) {
  const Exchange result = exchanged(program(
      "struct Shape { dim3 grid, block; };", kBody,
      "Shape shape{dim3(6, 2), dim3(8, 32)};\n  scale<<<shape.grid, shape.block>>>(device);"));
  EXPECT_THAT(result.text, HasSubstr("scale<<<shape.grid, dim3(shape.block.y, shape.block.x, "
                                     "shape.block.z)>>>(device);"));
}

TEST(ThreadRoles, FunctionsOfValuesAndOfOneThreadAreNoReasonAgainst) {
  const Exchange result =
      exchanged(program("__device__ float twice(float x) { return 2 * x; }\n"
                        "__device__ void put(float *a, int i, float x) { a[i] = sqrtf(twice(x)); }",
                        "put(a, row * 40 + column, __ldg(&a[row * 40 + column]));", kLaunch));
  EXPECT_THAT(result.kernels, testing::ElementsAre("scale")) << result.findings;
}

TEST(ThreadRoles, ConstructorsAndDestructorsOfOneThreadAreNoReasonAgainst) {
  const Exchange result = exchanged(program(
      "struct Part { int n = 2; __host__ __device__ ~Part() { n = 0; } };\n"
      "struct Whole { Part parts[2]; float x = 1; };",
      "Whole whole, copy = whole;\n  a[row * 40 + column] *= copy.x + copy.parts[1].n;", kLaunch));
  EXPECT_THAT(result.kernels, testing::ElementsAre("scale")) << result.findings;
}

TEST(ThreadRoles, TemplatesAreEditedOnce) {
  const std::string source =
      std::string("template <class T> __global__ void scale(T *a) {") + kCoordinates + kBody +
      "\n}\nint main() {\n  float *f;\n  double *d;\n"
      "  cudaMalloc(&f, 7680);\n  cudaMalloc(&d, 15360);\n  const dim3 block(8, 32);\n"
      "  scale<<<dim3(6, 2), block>>>(f);\n  scale<double><<<dim3(6, 2), block>>>(d);\n}\n";
  const Exchange result = exchanged(source);
  EXPECT_THAT(result.kernels, testing::ElementsAre("scale")) << result.findings;
  EXPECT_THAT(result.text, HasSubstr("row = blockIdx.x * blockDim.y + threadIdx.y;"));
  EXPECT_THAT(result.text,
              HasSubstr("scale<double><<<dim3(6, 2), dim3(block.y, block.x, block.z)>>>(d);"));
}

struct Bound {
  const char *name;
  const char *device, *body, *launch, *why;
};

class ThreadsThatAreBound : public testing::TestWithParam<Bound> {};

TEST_P(ThreadsThatAreBound, KeepTheirRolesAndSayWhy) {
  const Bound &bound = GetParam();
  const Exchange result = exchanged(program(bound.device, bound.body + kBody, bound.launch));
  EXPECT_TRUE(result.kernels.empty());
  EXPECT_THAT(result.findings, HasSubstr(bound.why));
  EXPECT_THAT(result.findings, HasSubstr("grid.cu:"));
}

const Bound kBound[] = {
    {"SharedMemory", "", "__shared__ float tile[16];\n", kLaunch, "share memory"},
    {"Barrier", "", "__syncthreads();\n", kLaunch, "'__syncthreads'"},
    {"Atomic", "", "atomicAdd(a, 1.0f);\n", kLaunch, "'atomicAdd'"},
    {"WarpFunction", "", "if (__any_sync(~0u, row))\n", kLaunch, "'__any_sync'"},
    {"Output", "", "printf(\"%d\", row);\n", kLaunch, "'printf'"},
    {"Clock", "", "if (clock64() == 0) return;\n", kLaunch, "'clock64'"},
    {"Volatile", "", "*(volatile float *)a = 0;\n", kLaunch, "volatile"},
    {"InlinePtx", "", "asm volatile(\"membar.gl;\");\n", kLaunch, "PTX"},
    {"InAFunction", "__device__ void wait() { __syncthreads(); }", "wait();\n", kLaunch,
     "'__syncthreads'"},
    {"NumberInAFunction", "__device__ int lane() { return threadIdx.x % 32; }",
     "if (lane() > 40) return;\n", kLaunch, "'threadIdx.x'"},
    {"NumberInADefaultArgument",
     "__device__ int lane(int number = threadIdx.x) { return number % 32; }",
     "if (lane() > 40) return;\n", kLaunch, "'threadIdx.x'"},
    {"NumberInADefaultMember", "struct Lane { int number = blockDim.x * 2 + threadIdx.x; };",
     "Lane lane;\n  if (lane.number > 99) return;\n", kLaunch, "'blockDim.x'"},
    {"NumberInADefaultMemberOfAnAggregate", "struct Lane { int other, number = threadIdx.y; };",
     "Lane lane{1};\n  if (lane.number > 99) return;\n", kLaunch, "'threadIdx.y'"},
    {"NumberInAConstructorOfAMember",
     "struct Lane { int number; __device__ Lane() : number(threadIdx.x) {} };\n"
     "struct Cell { Lane lane; int used = 1; };",
     "Cell cell;\n  if (cell.lane.number > 99) return;\n", kLaunch, "'threadIdx.x'"},
    {"NumberInADestructor",
     "struct Writer { float *to; __device__ ~Writer() { to[threadIdx.x] = 1; } };",
     "Writer writer{a};\n", kLaunch, "'threadIdx.x'"},
    {"NumberInADestructorOfAMember",
     "struct Writer { float *to; __device__ ~Writer() { to[threadIdx.x] = 1; } };\n"
     "struct Writers { Writer writers[2]; };",
     "Writers writers{{{a}, {a}}};\n", kLaunch, "'threadIdx.x'"},
    {"BarrierInTheDestructorOfATemporary",
     "struct Wait { __device__ ~Wait() { __syncthreads(); } };", "Wait();\n", kLaunch,
     "'__syncthreads'"},
    {"BarrierInTheDestructorOfAParameter",
     "struct Wait { __device__ ~Wait() { __syncthreads(); } };\n"
     "__device__ void pass(Wait) {}",
     "pass(Wait());\n", kLaunch, "'__syncthreads'"},
    {"NumberInAnAssignmentOfAMember",
     "struct Lane {\n  int number = 0;\n  __device__ Lane &operator=(const Lane &) {\n"
     "    number = threadIdx.x;\n    return *this;\n  }\n};\nstruct Cell { Lane lane; };",
     "Cell cell, other;\n  cell = other;\n", kLaunch, "'threadIdx.x'"},
    {"NumbersAsAWhole", "__device__ int sum(uint3 i) { return i.x + i.y; }",
     "if (sum(threadIdx) > 99) return;\n", kLaunch, "'threadIdx' in another way"},
    {"WarpSize", "", "if (row % warpSize > 40) return;\n", kLaunch, "'warpSize'"},
    {"Macro", "#define LANE (threadIdx.x % 32)", "if (LANE > 40) return;\n", kLaunch, "macro"},
    {"BlockThatAMacroRepeats",
     "#define RUN(k, b, ...) k<<<dim3((48 + (b).x - 1) / (b).x, 3), b>>>(__VA_ARGS__)", "",
     "dim3 block(16, 8);\n  RUN(scale, block, device);\n", "more than once"},
    {"ExtentsThatAMacroRepeats",
     "#define RUN(k, x, y, ...) k<<<dim3(48 / (x), 48 / (y)), dim3(x, y)>>>(__VA_ARGS__)", "",
     "RUN(scale, 16, 8, device);\n", "more than once"},
    {"InactiveCode", "", "#ifdef OTHER\n  if (threadIdx.x > 7) return;\n#endif\n", kLaunch,
     "this build leaves out"},
    {"InactiveLaunch", "", "",
     "#ifdef OTHER\n  scale<<<dim3(3, 3), dim3(16, 8)>>>(device);\n#else\n  "
     "scale<<<dim3(3, 3), dim3(16, 16)>>>(device);\n#endif\n",
     "this build leaves out names it"},
    {"BlockAsANumber", "", "", "scale<<<3, 256>>>(device);", "as something else"},
    {"BlockOfAFunction", "dim3 block() { return dim3(16, 16); }", "",
     "scale<<<dim3(3, 3), block()>>>(device);", "as something else"},
    {"AddressTaken", "", "",
     "auto *kernel = &scale;\n  kernel<<<dim3(3, 3), dim3(16, 16)>>>(device);",
     "named other than by a launch"},
    {"TemplateParameter",
     "__global__ void scale(float *a);\ntemplate <void (*kernel)(float *)> void "
     "run(float *a) { kernel<<<dim3(3, 3), dim3(16, 16)>>>(a); }",
     "", "run<scale>(device);", "template's parameter"},
};

INSTANTIATE_TEST_SUITE_P(Hazards, ThreadsThatAreBound, testing::ValuesIn(kBound),
                         [](const auto &chosen) { return chosen.param.name; });

TEST(ThreadRoles, KernelsOfOneIndexAreNotSpokenOf) {
  const Exchange result =
      exchanged("__global__ void add(float *a) { a[threadIdx.x] += 1; }\n"
                "int main() {\n  float *a;\n  cudaMalloc(&a, 64);\n  add<<<1, 16>>>(a);\n}\n");
  EXPECT_TRUE(result.kernels.empty());
  EXPECT_EQ(result.findings, "");
}

TEST(ThreadRoles, NumbersThatFunctionsUseCount) {
  const Exchange result =
      exchanged("__device__ int lane(int t = threadIdx.x) { return t; }\n"
                "__global__ void add(float *a) { a[threadIdx.y * 4 + lane()] += 1; }\n"
                "int main() {\n  float *a;\n  cudaMalloc(&a, 64);\n"
                "  add<<<1, dim3(4, 4)>>>(a);\n}\n");
  EXPECT_TRUE(result.kernels.empty());
  EXPECT_THAT(result.findings, HasSubstr("grid.cu:1:"));
  EXPECT_THAT(result.findings, HasSubstr("'threadIdx.x'"));
}

TEST(ThreadRoles, OfTheKernelsThatAreWanted) {
  const fs::path file = scratchFolder() / "grid.cu";
  writeText(file, program("", kBody, kLaunch));
  const Result<ExchangedRoles> found = exchangeThreadRoles(
      commandFor(file), [](const std::string &name) { return name != "scale"; });
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_TRUE(found->kernels.empty());
}

#ifdef RELAYOUT_HOST_COMPILER
TEST(ThreadRoles, EachThreadStillDoesItsWork) {
  const fs::path folder = scratchFolder();
  const std::string source =
      program("", "if ((row + column) % 3 == 0)\n    " + kBody,
              "const dim3 block(8, 32);\n  scale<<<dim3(6, 2), block>>>(device);");
  const Exchange result = exchanged(source);
  ASSERT_FALSE(result.kernels.empty());
  writeText(folder / "before.cu", source);
  writeText(folder / "after.cu", result.text);
  const Outcome before = runOnCpu(folder / "before.cu", folder / "before", "");
  const Outcome after = runOnCpu(folder / "after.cu", folder / "after", "");
  EXPECT_EQ(before.code, 0) << before.output;
  EXPECT_EQ(before.copies.size(), 1u);
  EXPECT_EQ(after.copies, before.copies);
}
#endif

} // namespace
} // namespace relayout::rewriter::test
