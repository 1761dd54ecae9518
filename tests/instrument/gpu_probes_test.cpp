// SPDX-License-Identifier: Apache-2.0
// What the program with probes for the GPU has beside them.
#include "probed_program.h"

#include "relayout/instrument/padding_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::instrument {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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

TEST(GpuProbes, BitFieldsAreGivenByTheirObjects) {
  const Probed probed("struct B { float x; unsigned kind : 3; };\n"
                      "__global__ void k(B *b, int n) {\n"
                      "  for (int i = 0; i < n; ++i) b[i].kind = 1;\n"
                      "  b->kind++; }\n");
  EXPECT_NE(probed.text.find("u, b[i], 4, 4)).kind = 1;"), std::string::npos) << probed.text;
  EXPECT_NE(probed.text.find("u, *(b), 4, 4))->kind++;"), std::string::npos) << probed.text;
  EXPECT_NE(probed.text.find("(&relayoutCounts"), std::string::npos) << probed.text;
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

TEST(GpuProbes, AllocationsSayWhatTheirExtentsAreCalled) {
  const Probed probed(R"(
#include <cuda_runtime.h>
__global__ void k(P *u, int nx, int ny) {
  if (threadIdx.x < nx)
    u[threadIdx.x * ny].x = 1;
}
P *grid(int nx, int ny) {
  P *u = nullptr;
  cudaMalloc(&u, nx * ny * sizeof(P));
  return u;
}
int main(int argc, char **) {
  const int width = 4 * argc, height = 8 * argc;
  P *u = grid(width, height);
  k<<<1, 4>>>(u, width, height);
})");
  EXPECT_THAT(probed.text,
              HasSubstr("(::relayout::probe::noteExtents({}, {{\"nx\", static_cast<unsigned long "
                        "long>(nx), 0}, "));
  EXPECT_THAT(probed.text,
              AllOf(HasSubstr("grid((void(::relayout::probe::CallersExtents{{{"),
                    HasSubstr("{\"height\", static_cast<unsigned long long>(height), 1}, }}), ")));
}

TEST(PaddingNotes, CopiesOfRecordsWithPaddingSayWhereItIs) {
  const ProgramText program(R"(#include <cuda_runtime.h>
struct P { float x; char c; };
struct Q { float x, y; };
__global__ void k(P *p, Q *q) { p->x = q->x; }
#define CHECK(call) if ((call) != cudaSuccess) return 1
int main() {
  P *p = nullptr, host[4]; Q *q = nullptr, other[4];
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  cudaMemcpy(other, q, sizeof other, cudaMemcpyDeviceToHost);
  k<<<1, 1>>>(p, q);
})");
  const auto noted = notePadding(program.command);
  ASSERT_TRUE(noted.has_value());
  ASSERT_EQ(noted->files.size(), 1u);
  const std::string &text = noted->sources.files.front().text;
  EXPECT_TRUE(text.starts_with("#include <typeinfo>\n"
                               "extern \"C\" void relayoutNoteRecord(unsigned, const char *);\n"));
  EXPECT_NE(text.find("::relayoutNoteRecord(8u, \"5:3\")"), std::string::npos) << text;
  EXPECT_EQ(text.find("(8u, \"\")"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  cudaMemcpy(other"), std::string::npos) << text;
}

TEST(PaddingNotes, RecordsOfOneSizeAreToldApartInATemplate) {
  const ProgramText program(R"(#include <cuda_runtime.h>
struct P { float x; char c; };
namespace n { struct Q { float x, y; }; }
__global__ void k(P *p, n::Q *q) { p->x = q->x; }
template <class T> void get(T *to, const T *from) {
  cudaMemcpy(to, from, 4 * sizeof(T), cudaMemcpyDeviceToHost);
}
int main() {
  P *p = nullptr, host[4]; n::Q *q = nullptr, other[4];
  k<<<1, 1>>>(p, q);
  get(host, p);
  get(other, q);
})");
  const auto noted = notePadding(program.command);
  ASSERT_TRUE(noted.has_value());
  const std::string &text = noted->sources.files.front().text;
  EXPECT_TRUE(text.starts_with("#include <typeinfo>\n")) << text;
  EXPECT_NE(text.find("(__builtin_strcmp(typeid(decltype(*(to))).name(), \"N1n1QE\") == 0 ? "
                      "::relayoutNoteRecord(8u, \"\") : "
                      "(__builtin_strcmp(typeid(decltype(*(to))).name(), \"1P\") == 0 ? "
                      "::relayoutNoteRecord(8u, \"5:3\") : ::relayoutNoteRecord(1u, \"\")))"),
            std::string::npos)
      << text;
}

TEST(PaddingNotes, NumbersThatTheTemplateCopiesAsWellAreOthers) {
  const ProgramText program(R"(#include <cuda_runtime.h>
struct P { float x; char c; };
__global__ void k(P *p, float *f) { p->x = f[threadIdx.x]; }
template <class T> void get(T *to, const T *from) {
  cudaMemcpy(to, from, 4 * sizeof(T), cudaMemcpyDeviceToHost);
}
int main() {
  P *p = nullptr, host[4]; float *f = nullptr, other[4];
  cudaMalloc(&f, sizeof other);
  k<<<1, 1>>>(p, f);
  get(other, f);
  get(host, p);
})");
  const auto noted = notePadding(program.command);
  ASSERT_TRUE(noted.has_value());
  EXPECT_NE(noted->sources.files.front().text.find(
                "(__builtin_strcmp(typeid(decltype(*(to))).name(), \"1P\") == 0 ? "
                "::relayoutNoteRecord(8u, \"5:3\") : "),
            std::string::npos)
      << noted->sources.files.front().text;
}

TEST(PaddingNotes, AProgramWithoutPaddingStaysAsItIs) {
  const ProgramText program(R"(#include <cuda_runtime.h>
struct Q { float x, y; };
__global__ void k(Q *q) { q->x = 1; }
int main() {
  Q *q = nullptr, host[4];
  k<<<1, 1>>>(q);
  cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
})");
  const auto noted = notePadding(program.command);
  ASSERT_TRUE(noted.has_value());
  EXPECT_TRUE(noted->sources.files.empty());
  EXPECT_EQ(noted->files, std::vector<std::string>{""});
}

} // namespace
} // namespace relayout::instrument
