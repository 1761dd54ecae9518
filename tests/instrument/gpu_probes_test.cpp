// SPDX-License-Identifier: Apache-2.0
// What the program with probes for the GPU has beside them.
#include "probed_program.h"

#include <gtest/gtest.h>

namespace relayout::instrument {
namespace {

TEST(GpuProbes, ProbesKnowPointersFromMemory) {
  const std::string define = "#define RELAYOUT_LOADS_POINTERS\n";
  // nvcc aborts ("Broken function found") where it may look into what it knows of these.
  const Probed list("struct L { float v; L *next; };\n"
                    "__global__ void k(L *l) { for (L *w = l; w; w = w->next) w->v = 1; }\n");
  EXPECT_TRUE(list.text.starts_with(define));
  const Probed table("__global__ void k(P **p) { if (P *w = p[threadIdx.x]) w->x = 1; }\n");
  EXPECT_TRUE(table.text.starts_with(define));
  const Probed plain("struct Arrays { P *p; };\n"
                     "__global__ void k(P *p, Arrays arrays) {\n"
                     "  P *q = arrays.p + 1;\n"
                     "  q->x = p->x; }\n");
  EXPECT_EQ(plain.text.find(define), std::string::npos);
}

TEST(GpuProbes, AByteOrderMarkIsLeftOut) {
  const ProgramText program("\xef\xbb\xbfstruct P { float x; };\n"
                            "__global__ void k(P *p) { p->x = 1; }\n");
  const auto probed = insertGpuProbes(program.command);
  ASSERT_TRUE(probed.has_value());
  const std::string &text = probed->sources.files.front().text;
  EXPECT_EQ(text.find('\xef'), std::string::npos);
  EXPECT_NE(text.find("\"\nstruct P"), std::string::npos) << text;
}

TEST(GpuProbes, AllocationsOfRecordsAreNamed) {
  const Probed probed(R"(
#include <cuda_runtime.h>
__global__ void k(P *p) { p[0].x = 1; }
int main() {
  P *bodies = nullptr;
  float *plain = nullptr;
  cudaMalloc(&bodies, 4 * sizeof(P));
  cudaMalloc(&plain, 4);
  k<<<1, 1>>>(bodies);
})");
  EXPECT_NE(probed.text.find("(::relayout::probe::named(\"main::bodies\"), cudaMalloc(&bodies"),
            std::string::npos)
      << probed.text;
  EXPECT_EQ(probed.text.find("named(\"main::plain\")"), std::string::npos);
}

} // namespace
} // namespace relayout::instrument
