// SPDX-License-Identifier: Apache-2.0
// The second copy of a kernel's code, which counts and records nothing: where it has probes, and
// which loops are counted as a whole.
#include "probed_program.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

TEST(UntracedCopies, TheSecondHasProbesOnlyWhereItCounts) {
  const Probed probed(R"(
__global__ void k(P *p, float *out) {
  out[0] = /*A*/p[threadIdx.x].x + /*B*/p[threadIdx.x + 1].y;
  if (threadIdx.x > 3)
    /*C*/p[threadIdx.x].n += 1;
  atomicAdd(/*D*/&p[0].n, 1);
})");
  EXPECT_EQ(probed.counted("A"), "count<::relayout::probe::kAtOnce>");
  EXPECT_EQ(probed.counted("B"), "");
  EXPECT_EQ(probed.counted("C"), "count<::relayout::probe::kAtOnce>");
  EXPECT_EQ(probed.counted("D"), "");
  EXPECT_EQ(probed.times(".records()) {"), 1);
}

TEST(UntracedCopies, RecordsAreMadeByCallOutsideLoops) {
  const Probed probed(R"(
__device__ float once(const P *p) { return /*A*/p[0].x; }
__device__ float inner(const P *p) { return /*B*/p[0].x; }
__device__ float outer(const P *p) { return inner(p) + /*C*/p[1].x; }
__device__ float again(const P *p, int n) { return n ? again(p, n - 1) : /*D*/p[0].x; }
__global__ void k(const P *p, float *out, int n) {
  float s = once(p) + again(p, n) + /*E*/p[threadIdx.x].x;
  for (int i = 0; i < n; ++i)
    s += outer(p) + /*F*/p[i].x;
  out[0] = s + /*G*/p[threadIdx.x].y;
}
__global__ void jumps(const P *p, float *out) {
again:
  if ((out[0] += /*H*/p[0].x) < 1)
    goto again;
})");
  for (const char *mark : {"A", "E", "G"})
    EXPECT_TRUE(probed.isRecordedByCall(mark)) << mark;
  for (const char *mark : {"B", "C", "D", "F", "H"})
    EXPECT_FALSE(probed.isRecordedByCall(mark)) << mark;
}

TEST(UntracedCopies, ManyAccessesInLoopsAreRecordedByACall) {
  const auto looped = [](const char *body) {
    return Probed(std::string("__global__ void k(P *p, float *out, int n) {\n"
                              "  float s = 0;\n"
                              "  for (int i = 0; i < n; ++i) s += ") +
                  body + ";\n  out[0] = s;\n}\n");
  };
  EXPECT_FALSE(looped("/*A*/p[i].x + p[i].y").isRecordedByCall("A"));
  EXPECT_TRUE(looped("/*A*/p[i].x + p[i].y + p[i + 1].x").isRecordedByCall("A"));
}

TEST(UntracedCopies, BothKeepTheirLines) {
  const Probed kept("__global__ void k(P *p) {\n\n  p[0].x = 1;\n  p[1].x = __LINE__;\n}\n");
  const std::size_t second = kept.text.find("#line 4\n");
  ASSERT_NE(second, std::string::npos) << kept.text;
  // From the directive on, the lines are those of the original again.
  const std::string behind = kept.text.substr(kept.text.find('\n', second) + 1);
  EXPECT_TRUE(behind.starts_with("(relayoutCounts")) << behind;
  EXPECT_EQ(std::ranges::count(behind.substr(0, behind.find(" }\n}")), '\n'), 1) << behind;
}

TEST(UntracedCopies, LoopsThatAllLanesRunAlikeAreCountedAsAWhole) {
  const Probed probed(R"(
struct Size { int n, step; };
__constant__ int turns;
template <int kWidth> __global__ void k(const P *p, float *out, int n, Size size, int *lane) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    s += /*A*/p[i].x;
    for (int j = kWidth; j > 0; j /= 2)
      s += /*B*/p[j].y;
    if (i > 2)
      s += /*C*/p[i].y;
    if (s > 2)
      s += /*D*/p[i].y;
    for (int j = 0; j < lane[0]; ++j)
      s += /*E*/p[i].y;
    for (int j = 0; j < i; ++j)
      s += /*F*/p[i].y;
  }
  const int half = size.n / 2 + blockIdx.x;
  for (unsigned i = 0, m = 3; i < half && i != m; i += size.step)
    s += /*G*/p[i].x;
  for (int i = 0; i < turns; ++i)
    s += /*H*/p[i].x;
  out[0] = s;
}
void run(P *p, float *out, int *lane) { k<8><<<1, 1>>>(p, out, 1, Size{2, 1}, lane); })");
  EXPECT_EQ(probed.counted("A"), "ran<0>");
  EXPECT_EQ(probed.counted("B"), "ran<1>");
  EXPECT_EQ(probed.counted("C"), "ran<2>");
  EXPECT_EQ(probed.counted("D"), "count<3>");
  EXPECT_EQ(probed.counted("E"), "count<4>");
  EXPECT_EQ(probed.counted("F"), "ran<3>");
  EXPECT_EQ(probed.counted("G"), "ran<0>");
  EXPECT_EQ(probed.counted("H"), "ran<0>");
  EXPECT_NE(probed.text.find(".add<0, 1, 2, 5>(relayoutTogether"), std::string::npos)
      << probed.text;
  // In one loop lanes diverge. It is there with records, for when the reservation is used up,
  // without, and in the twin.
  EXPECT_EQ(probed.times("RELAYOUT_ONE_BY_ONE for (int j = 0; j < lane[0]; ++j)"), 4);
  EXPECT_EQ(probed.times("RELAYOUT_ONE_BY_ONE"), 4);
}

TEST(UntracedCopies, LoopsThatLanesMayRunUnlikeAreNot) {
  const Probed probed(R"(
__device__ void change(int &n) { n = threadIdx.x; }
__device__ float f(const P *p, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += /*A*/p[i].x; // who knows with what it is called
  return s;
}
__global__ void k(const P *p, float *out, int n, int m, int l) {
  float s = f(p, n);
  const int lane = threadIdx.x;
  for (int i = 0; i < lane; ++i)
    s += /*B*/p[i].x;
  for (int i = lane; i < n; ++i)
    s += /*C*/p[i].x;
  for (int i = 0; i < n; i += lane)
    s += /*D*/p[i].x;
  for (int i = 0; i < n; ++i) {
    s += /*E*/p[i].x;
    if (s > 3)
      break;
  }
  for (int i = 0; i < n; ++i)
    if ((s += /*F*/p[i].x) > 3)
      ++i;
  for (int i = 0; i < n; ++i) {
    if (s > 3)
      continue;
    s += /*G*/p[i].x;
  }
  if (s > 5)
    m = lane;
  for (int i = 0; i < m; ++i)
    s += /*H*/p[i].x;
  change(l);
  for (int i = 0; i < l; ++i)
    s += /*I*/p[i].x;
#pragma unroll 4
  for (int i = 0; i < n; ++i) // its pragma must stay before it
    s += /*J*/p[i].x;
  int j = 0;
  for (; j < n; ++j)
    s += /*K*/p[j].x;
  for (int i = 0; i < lane; ++i)
    for (int j = 0; j < i; ++j)
      s += /*L*/p[j].x;
  out[0] = s;
})");
  EXPECT_EQ(probed.counted("A"), "count<0>");
  int counter = 0;
  for (const char *mark : {"B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"})
    EXPECT_EQ(probed.counted(mark), "count<" + std::to_string(counter++) + ">") << mark;
}

TEST(UntracedCopies, OnlyGlobalMemoryForSureIsCountedAsAWhole) {
  const Probed probed(R"(
__global__ void k(const P *p, float *out, int n) {
  __shared__ P tile[32];
  const P *q = n > 7 ? p : tile;
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += /*A*/p[i].x + /*B*/q[i].x;
  out[0] = s;
})");
  EXPECT_EQ(probed.counted("A"), "ran<0>");
  EXPECT_EQ(probed.counted("B"), "count<1>");
}

TEST(UntracedCopies, LoopsGoOnWithoutRecordsWhenThereIsNoRoom) {
  const Probed probed(R"(
__global__ void k(const P *p, float *out, int n, int *lane) {
  float s = 0;
  int i = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; ++j)
      s += /*A*/p[i].x;
  while (i++ < lane[0])
    s += p[i].y;
  for (int i = 0; i < n; ++i) {
    s += p[i].x;
    if (s > 3)
      break;
  }
  do
    s += p[i].x;
  while (i-- > 0);
#pragma unroll 4
  for (int i = 0; i < n; ++i)
    s += p[i].x;
  for (int i = 0;; ++i) {
    if (p[i].x > 3)
      return;
  }
})");
  // The rest of a loop is what the version without records has, from the condition on.
  EXPECT_TRUE(std::regex_search(
      probed.text,
      std::regex(
          R"(for \(int i = 0; ;\) \{ for \(; relayoutCounts\d+\.hasRoom\(\) && \(i < n\); \+\+i\)
    \{ relayoutCounts\d+\.iterated<6>\(\); for \(int j = 0; j < 3; \+\+j\)
      s \+= /\*A\*/\(relayoutCounts\d+\.read<0, false>\(\d+u, p\[i\]\.x\)\); \}
#line \d+
if \(!relayoutCounts\d+\.hadRoom\(\)\) \{ ::relayout::probe::Together<2> (relayoutTogether\d+); for \(; i < n; \+\+i\)
    \{ \1\.ran<0>\(\); for \(int j = 0; j < 3; \+\+j\)
      s \+= /\*A\*/\(\1\.ran<1>\(\), p\[i\]\.x\); \} relayoutCounts\d+\.add<6, 0>\(\1\); \} break; \})")))
      << probed.text;
  EXPECT_TRUE(std::regex_search(
      probed.text,
      std::regex(
          R"(\{ RELAYOUT_ONE_BY_ONE while \(relayoutCounts\d+\.hasRoom\(\) && \(i\+\+ < lane\[0\]\)\)
    s \+= [^;]*;
#line \d+
if \(!relayoutCounts\d+\.hadRoom\(\)\) RELAYOUT_ONE_BY_ONE while \(i\+\+ < lane\[0\]\)
    s \+= [^;]*; \})")))
      << probed.text;
  // Not: what a `break` leaves, what has no condition in front, or a pragma.
  EXPECT_EQ(probed.times(".hasRoom()"), 2);
}

TEST(UntracedCopies, WhatCannotBeDuplicatedIsNot) {
  const Probed probed(R"(
__global__ void shared(P *p, float *out, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += /*A*/p[i].x;
  s += p[0].x;
  __shared__ float tile[32];
  tile[0] = s;
  out[0] = tile[0] + /*B*/p[1].x;
}
__global__ void label(P *p, float *out, int n) {
  for (int i = 0; i < n; ++i)
    out[0] += /*C*/p[i].x;
again:
  out[0] += p[1].x;
  if (out[0] > 3)
    goto again;
}
__global__ void local(P *p, float *out, int n) {
  struct Sum { float value; };
  auto twice = [](float x) { return 2 * x; };
  Sum sum{/*D*/p[0].x};
  out[0] = twice(sum.value);
}
__global__ void assembly(P *p, float *out, int n) {
  out[0] = p[0].x;
  asm volatile("membar.gl;");
}
#define OPEN {
__global__ void text(P *p, float *out, int n) {
  if (n > 2) OPEN
    out[0] = /*E*/p[0].x; }
#ifdef A_NAME
  if (n > 3)
#else
  if (n > 4)
#endif
    out[0] = p[0].x;
}
__global__ void half(P *p, float *out, int n) {
#if 1
  if (n > 3) {
#else
  if (n > 4) {
#endif
    out[0] = p[0].x;
  }
}
__global__ void defines(P *p, float *out, int n) {
  out[0] = p[0].x;
#define MORE 1
  out[1] = p[1].x;
}
)");
  EXPECT_EQ(probed.counted("A"), "ran<0>");
  EXPECT_EQ(probed.counted("B"), "");         // by what comes before the array
  EXPECT_EQ(probed.counted("C"), "count<0>"); // what jumps is not followed at all
  EXPECT_EQ(probed.counted("D"), "count<::relayout::probe::kAtOnce>");
  EXPECT_EQ(probed.counted("E"), "count<::relayout::probe::kAtOnce>");
  // Once in the kernel, and where that can have one, in its twin.
  EXPECT_EQ(probed.times("__shared__ float tile"), 2);
  EXPECT_EQ(probed.times("again:"), 2);
  EXPECT_EQ(probed.times("struct Sum"), 1);
  EXPECT_EQ(probed.times("membar.gl"), 1);
  EXPECT_EQ(probed.times("#if 1"), 1);
  EXPECT_EQ(probed.times("#define MORE"), 1);
}

} // namespace
} // namespace relayout::instrument
