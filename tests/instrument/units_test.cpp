// SPDX-License-Identifier: Apache-2.0
// Programs of several translation units: what a linker joins is one, the rest stays apart.
#include "lowered_program.h"
#include "program_text.h"

#include <gmock/gmock.h>

#include <set>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;

constexpr const char *kHeader = "#pragma once\n"
                                "struct P { float x, y; };\n"
                                "void start(P *p, int n);\n";

TEST(Units, KernelAndAllocationOfTwoFilesAreOneGroup) {
  ProgramText program("#include \"p.h\"\n"
                      "int main() {\n"
                      "  P *p, h[32] = {};\n"
                      "  cudaMalloc(&p, sizeof(h));\n"
                      "  start(p, 32);\n"
                      "  cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);\n"
                      "  return h[3].x == 3 ? 0 : 1;\n"
                      "}\n",
                      "main.cpp");
  program.command.language = Language::Cxx;
  program.add("p.h", std::string("#include <cuda_runtime.h>\n") + kHeader);
  program.addUnit("step.cu", "#include \"p.h\"\n"
                             "__global__ void step(P *q) { q[threadIdx.x].x = threadIdx.x; }\n"
                             "void start(P *p, int n) { step<<<1, n>>>(p); }\n");
  const ProgramModel model = program.model();
  ASSERT_EQ(model.sites.groups.size(), 1u);
  EXPECT_THAT(model.sites.groups[0].arrays, ElementsAre("start::p", "main::p", "step::q"));
  ASSERT_EQ(model.sites.sites.size(), 1u);
  EXPECT_EQ(model.sites.sites[0].group, 0u);
  for (const std::string &compiler : hostCompilers())
    EXPECT_EQ(runLowered(program, Probes::Trace, compiler), "exit 0");
}

TEST(Units, MacrosOfAHostUnitDoNotReachIntoTheHeaders) {
  ProgramText program("#define T 3\n"
                      "#define P(a, b) nothing\n"
                      "#define Type type of something\n"
                      "#define Call ->\n"
                      "#define Kernel 7\n"
                      "#define x 0\n"
                      "#include <cuComplex.h>\n"
                      "#include <cublas.h>\n"
                      "#include <cuda_fp16.h>\n"
                      "#include <cuda_runtime.h>\n"
                      "#include <cusparse.h>\n"
                      "void start(int *p);\n"
                      "int main() {\n"
                      "  int *p, h[T] = {Kernel, Kernel, Kernel};\n"
                      "  cudaMalloc(&p, sizeof(h));\n"
                      "  start(p);\n"
                      "  cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);\n"
                      "  return h[2] == 2 ? x : 1;\n"
                      "}\n",
                      "main.cpp");
  program.command.language = Language::Cxx;
  program.addUnit("step.cu", "__global__ void step(int *q) { q[threadIdx.x] = threadIdx.x; }\n"
                             "void start(int *p) { step<<<1, 3>>>(p); }\n");
  for (const std::string &compiler : hostCompilers())
    EXPECT_EQ(runLowered(program, Probes::None, compiler), "exit 0");
}

TEST(Units, DeviceCallsReachOtherFiles) {
  ProgramText program("struct P { float x, y; };\n"
                      "__device__ float get(const P *p, int i);\n"
                      "__global__ void k(const P *p, float *out) { out[0] = get(p, 1); }\n");
  program.addUnit("get.cu", "struct P { float x, y; };\n"
                            "__device__ float get(const P *p, int i) { return p[i].y; }\n");
  const ProgramModel model = program.model();
  ASSERT_EQ(model.sites.sites.size(), 1u);
  ASSERT_EQ(model.sites.reaches.size(), 1u);
  EXPECT_EQ(model.sites.reaches[0].site, 0u);
  EXPECT_TRUE(model.findings.empty()) << render(model.findings.front());
}

TEST(Units, HeadersSharedByUnitsAreOneSiteEach) {
  ProgramText program("#include \"p.h\"\n"
                      "static __global__ void k(P *p) { bump(p[threadIdx.x]); }\n"
                      "void other(P *p);\n"
                      "int main() {\n"
                      "  P *p, h[32] = {};\n"
                      "  cudaMalloc(&p, sizeof(h));\n"
                      "  cudaMemcpy(p, h, sizeof(h), cudaMemcpyHostToDevice);\n"
                      "  k<<<1, 32>>>(p);\n"
                      "  other(p);\n"
                      "  cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);\n"
                      "  return h[3].x == 5 ? 0 : 1;\n"
                      "}\n");
  // Not inline: without -rdc=true each unit has device code of its own.
  program.add("p.h", "struct P { float x, y; };\n"
                     "__constant__ float two = 2;\n"
                     "__device__ void bump(P &p) { p.x += two; }\n");
  program.addUnit("other.cu", "#include \"p.h\"\n"
                              "static __global__ void k(P *p) { bump(p[threadIdx.x]); p->x += 0; "
                              "if (threadIdx.x == 3) p[3].x += 1; }\n"
                              "void other(P *p) { k<<<1, 32>>>(p); }\n");
  const ProgramModel model = program.model();
  std::set<std::string> kernels;
  for (const trace::Kernel &kernel : model.sites.kernels)
    kernels.insert(kernel.name);
  EXPECT_EQ(kernels, (std::set<std::string>{"k (program.cu)", "k (other.cu)"}));
  std::size_t inHeader = 0;
  for (const trace::Site &site : model.sites.sites)
    inHeader += site.function == "bump";
  EXPECT_EQ(inHeader, 2u); // a read and a write
  for (const std::string &compiler : hostCompilers())
    EXPECT_EQ(runLowered(program, Probes::Trace, compiler), "exit 0");
}

TEST(Units, CallsOfFilesThatWereNotGivenAreNamed) {
  const ProgramText program("struct P { float x; };\n"
                            "__device__ float get(const P *p);\n"
                            "__global__ void k(const P *p, P *q) { q->x = /*call*/get(p); }\n");
  EXPECT_THAT(codesAt(program.model(), program.mark("call")), ElementsAre("RL-I14"));
}

TEST(Units, HostUnitsAreHostCpp) {
  ProgramText program("struct P { float x; };\n"
                      "int twice(int);\n"
                      "__global__ void k(P *p) { p->x = 1; }\n"
                      "int main() {\n"
                      "  P *p, h;\n"
                      "  cudaMalloc(&p, sizeof(P));\n"
                      "  k<<<1, 1>>>(p);\n"
                      "  cudaMemcpy(&h, p, sizeof(P), cudaMemcpyDeviceToHost);\n"
                      "  return twice(21) - 42;\n"
                      "}\n");
  program.addUnit("host.cpp", "#include <cuda_runtime.h>\n"
                              "#if defined(__CUDACC__) || defined(__NVCC__)\n"
                              "#error nvcc does not compile this\n"
                              "#endif\n"
                              "int min = 2; // a function of CUDA's in .cu files\n"
                              "int twice(int n) { return min * n; }\n");
  for (const std::string &compiler : hostCompilers())
    EXPECT_EQ(runLowered(program, Probes::None, compiler), "exit 0");
}

TEST(Units, UnitsInCUseTheRuntime) {
  ProgramText program("struct P { float x; };\n"
                      "__global__ void k(P *p) { p[threadIdx.x].x = 1 + threadIdx.x; }\n"
                      "extern \"C\" void launch(void *p, int n) { k<<<1, n>>>((P *)p); }\n");
  program.addUnit("host.c", "#include <cuda_runtime.h>\n"
                            "#include <stdio.h>\n"
                            "struct P { float x; };\n"
                            "int main(void) {\n"
                            "  struct P host[4];\n"
                            "  struct cudaDeviceProp device;\n"
                            "  void *p;\n"
                            "  float4 sum = {0, 0, 0, 0};\n"
                            "  cudaEvent_t done;\n"
                            "  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess ||\n"
                            "      cudaMalloc(&p, sizeof(host)) != cudaSuccess)\n"
                            "    return 1;\n"
                            "  cudaEventCreate(&done);\n"
                            "  launch(p, 4); // declared nowhere\n"
                            "  cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);\n"
                            "  for (int i = 0; i < 4; ++i) sum.x += host[i].x;\n"
                            "  cudaFree(p);\n"
                            "  printf(\"%g\\n\", sum.x);\n"
                            "  return 0;\n"
                            "}\n");
  for (const std::string &compiler : hostCompilers())
    for (const Probes probes : {Probes::None, Probes::Trace})
      EXPECT_EQ(runLowered(program, probes, compiler), "10\nexit 0");
}

/// Every pair of spaces that nvcc joins, with a warning at most.
TEST(Units, DeclarationsOfSeveralExecutionSpacesAreOneFunction) {
  ProgramText program("#include \"p.h\"\n"
                      "__global__ void k(P *p) {\n"
                      "  p->x = headerSaysHost(1) + namespaced::f(2) + p->method(3) + "
                      "generic(4) + deviceOnly(5) + definedPlain(6);\n"
                      "}\n"
                      "__host__ __device__ int headerSaysHost(int n) { return n; }\n"
                      "__host__ __device__ int namespaced::f(int n) { return n; }\n"
                      "__host__ __device__ int P::method(int n) { return n; }\n"
                      "template <class T> __host__ __device__ T generic(T n) { return n; }\n"
                      "__device__ int deviceOnly(int n = int(sizeof(int) - 4)) { return n; }\n"
                      "int definedPlain(int n) { return n; }\n"
                      "int main() {\n"
                      "  P *p, h;\n"
                      "  cudaMalloc(&p, sizeof(P));\n"
                      "  k<<<1, 1>>>(p);\n"
                      "  cudaMemcpy(&h, p, sizeof(P), cudaMemcpyDeviceToHost);\n"
                      "  return h.x + headerSaysHost(1) + deviceOnly() + definedPlain(0) - 22;\n"
                      "}\n");
  program.add("p.h", "#ifndef __NVCC__\n"
                     "#define __host__\n"
                     "#define __device__\n"
                     "#endif\n"
                     "struct P { int x, y; int method(int n); };\n"
                     "namespace namespaced { int f(int n); }\n"
                     "extern \"C++\" { int headerSaysHost(int n); }\n"
                     "template <class T> T generic(T n);\n"
                     "int deviceOnly(int n);\n"
                     "__host__ __device__ int definedPlain(int n);\n");
  EXPECT_EQ(program.model().sites.sites.size(), 1u);
  for (const std::string &compiler : hostCompilers())
    EXPECT_EQ(runLowered(program, Probes::Trace, compiler), "exit 0");
}

TEST(Units, OverloadsByExecutionSpaceStayApart) {
  const ProgramText program("struct P { int x; };\n"
                            "__host__ int side() { return 1; }\n"
                            "__device__ int side() { return 2; }\n"
                            "__global__ void k(P *p) { p->x = side(); }\n");
  EXPECT_EQ(program.model().sites.sites.size(), 1u);
}

} // namespace
} // namespace relayout::instrument
