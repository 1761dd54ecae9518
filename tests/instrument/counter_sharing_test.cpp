// SPDX-License-Identifier: Apache-2.0
// Which accesses are counted at once, in a register of the loop, or by another access that runs
// whenever they do.
#include "probed_program.h"

#include <gtest/gtest.h>

namespace relayout::instrument {
namespace {

TEST(SharedCounts, AccessesInARowShareOne) {
  const Probed probed(R"(
__global__ void k(P *p, float *out) {
  out[0] = /*A*/p[threadIdx.x].x + /*B*/p[threadIdx.x + 1].y;
  /*C*/p[threadIdx.x].n = 1;
})");
  EXPECT_EQ(probed.counting("A"), "at once");
  EXPECT_EQ(probed.counting("B"), "by 1");
  EXPECT_EQ(probed.counting("C"), "by 1");
}

TEST(SharedCounts, BranchesAndShortCircuitsCountApart) {
  const Probed probed(R"(
__global__ void k(P *p, float *out, int n) {
  const int i = threadIdx.x;
  float s = /*A*/p[i].x;
  if (n > 3)
    s += /*B*/p[i].y;
  else
    s += /*C*/p[i].x;
  s += n > 2 && /*D*/p[i].n ? /*E*/p[i].x : /*F*/p[i].y;
  out[i] = s + /*G*/p[i].x;
})");
  EXPECT_EQ(probed.counting("A"), "at once");
  for (const char *mark : {"B", "C", "D", "E", "F"})
    EXPECT_EQ(probed.counting(mark), "at once") << mark;
  EXPECT_EQ(probed.counting("G"), "by 1"); // after the branches all lanes have reconverged
}

TEST(SharedCounts, NothingIsSharedAcrossAWayOut) {
  const Probed probed(R"(
__global__ void k(P *p, float *out, int n) {
  const int i = threadIdx.x;
  float s = /*A*/p[i].x;
  if (s > 1)
    return;
  s += /*B*/p[i].x;
  for (int j = 0; j < n; ++j) {
    s += /*C*/p[j].x + /*D*/p[j].y;
    if (s > 2)
      continue;
    s += /*E*/p[j].x;
    if (s > 3)
      break;
    s += /*F*/p[j].x;
    switch (j) {
    case 0:
      s += /*G*/p[j].x;
      break;
    default:
      s += /*H*/p[j].y;
    }
    s += /*I*/p[j].y;
  }
  out[i] = s + /*J*/p[i].y;
})");
  EXPECT_EQ(probed.counting("A"), "at once");
  EXPECT_EQ(probed.counting("B"), "at once");
  EXPECT_EQ(probed.counting("C"), "register 0");
  EXPECT_EQ(probed.counting("D").substr(0, 3), "by ");
  EXPECT_EQ(probed.counting("E"), "register 1");
  EXPECT_EQ(probed.counting("F"), "register 2");
  EXPECT_EQ(probed.counting("G"), "register 3");
  EXPECT_EQ(probed.counting("H"), "register 4");
  EXPECT_EQ(probed.counting("I").substr(0, 3), "by "); // by F: the switch's breaks stay inside it
  EXPECT_EQ(probed.counting("J").substr(0, 3), "by "); // by B
}

TEST(SharedCounts, OnlyWhatIsInTheSameMemoryShares) {
  const Probed probed(R"(
__device__ float f(const P &a, const P &b, P *c) {
  P *other = c;
  other = threadIdx.x ? c : nullptr;
  return /*A*/a.x + /*B*/b.x + /*C*/a.y + /*D*/b.y + /*E*/other->x + /*F*/other->y;
}
__global__ void k(const P *p, P *q, float *out) {
  const P &here = p[threadIdx.x];
  out[0] = f(p[0], p[1], q) + /*G*/p[0].x + /*H*/q[0].x + /*I*/here.y;
})");
  EXPECT_EQ(probed.counting("A"), "at once");
  EXPECT_EQ(probed.counting("B"), "at once"); // might be a local where a is none
  EXPECT_EQ(probed.counting("C"), "by 1");
  EXPECT_EQ(probed.counting("D"), "by 2");
  EXPECT_EQ(probed.counting("E"), "at once");
  EXPECT_EQ(probed.counting("F"), "at once"); // `other` is assigned to
  EXPECT_EQ(probed.counting("G"), "at once");
  EXPECT_EQ(probed.counting("H").substr(0, 3), "by "); // a kernel's parameters are global memory
  EXPECT_EQ(probed.counting("I").substr(0, 3), "by ");
}

TEST(SharedCounts, LabelsForbidSharing) {
  const Probed probed(R"(
__global__ void k(P *p, float *out) {
  float s = /*A*/p[0].x;
again:
  s += /*B*/p[1].x;
  if (s < 4)
    goto again;
  out[0] = s + /*C*/p[2].x;
})");
  for (const char *mark : {"A", "B", "C"})
    EXPECT_EQ(probed.counting(mark), "at once") << mark;
}

TEST(SharedCounts, InstantiationsThatDisagreeDoNotShare) {
  const Probed probed(R"(
template <bool kLeaves> __global__ void k(P *p, float *out, int n) {
  float s = /*A*/p[0].x;
  if constexpr (kLeaves) {
    if (n > 2)
      return;
  }
  out[0] = s + /*B*/p[1].x;
}
void run(P *p, float *out) { k<true><<<1, 1>>>(p, out, 1); k<false><<<1, 1>>>(p, out, 1); }
)");
  EXPECT_EQ(probed.counting("A"), "at once");
  EXPECT_EQ(probed.counting("B"), "at once");
}

TEST(SharedCounts, AReadAndWriteCountOnce) {
  const Probed probed(R"(
__global__ void k(P *p, int n) {
  for (int i = 0; i < n; ++i)
    /*A*/p[i].x += 1;
})");
  EXPECT_EQ(probed.counting("A"), "register 0");
  EXPECT_NE(probed.text.find("readWrite<0>(2u, 3u, "), std::string::npos) << probed.text;
  EXPECT_NE(probed.text.find("{3u, 2u}"), std::string::npos) << probed.text;
}

} // namespace
} // namespace relayout::instrument
