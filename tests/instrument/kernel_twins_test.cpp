// SPDX-License-Identifier: Apache-2.0
// The second kernel beside each, which counts and records nothing: which kernels have one, and how
// the runtime gets to know of it.
#include "probed_program.h"

#include "relayout/base/twin_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::instrument {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The text with N for the numbers in names of ours.
std::string numbersOut(const std::string &text) {
  return std::regex_replace(text, std::regex(R"((_relayoutTwin|relayoutCounts)\d+)"), "$1N");
}

TEST(KernelTwins, CountAndRecordNothing) {
  const Probed probed(
      "__global__ void k(P *p) {\n  p[0].x = 1;\n  p[1].x = 2;\n  do {} while (false); }\n");
  EXPECT_THAT(numbersOut(probed.text),
              HasSubstr("\n#line 2\n__global__ void k_relayoutTwinN(P *p) { "
                        "::relayout::probe::twinOf(0u); ::relayout::probe::Counts<> "
                        "relayoutCountsN;\n"
                        "  (relayoutCountsN.count<::relayout::probe::kAtOnce>(1u, p[0].x)) = 1;\n"
                        "  p[1].x = 2;\n  do {} while (false); }\n"));
  EXPECT_THAT(numbersOut(probed.text),
              HasSubstr("{::relayout::probe::twin(&::k, &::k_relayoutTwinN)});"));
}

TEST(KernelTwins, AreDeclaredLikeTheirKernels) {
  const Probed probed(R"(
#define BOUNDS __launch_bounds__(64)
namespace a { namespace {
static __global__ void BOUNDS hidden(P *p) { for (;;) p->x = 1; } int behind = __LINE__;
} }
extern "C" __global__ void c(P *p) { for (;;) p->x = 1; }
[[maybe_unused]] __global__ void /* here */ k(P *p, int n = 3) { while (n) p[n].x = 1; }
__device__ void fill(P *p) { for (;;) p->x = 1; }
__global__ void k(P *p) { fill(p); })");
  const std::string text = numbersOut(probed.text);
  EXPECT_THAT(text, HasSubstr("\n#line 5\nstatic __global__ void BOUNDS hidden_relayoutTwinN(P "));
  EXPECT_THAT(text, HasSubstr("; } int behind = __LINE__;\n"));
  EXPECT_THAT(text, HasSubstr("\nextern \"C\" __global__ void c_relayoutTwinN("));
  EXPECT_THAT(text, HasSubstr("\n__global__ void /* here */ k_relayoutTwinN(P *p, int n = 3) {"));
  EXPECT_THAT(text, HasSubstr("twin(&::a::hidden, &::a::hidden_relayoutTwinN)"));
  EXPECT_EQ(probed.times("twin(&::k, &::k_relayoutTwin"), 2);
}

TEST(KernelTwins, OfTemplatesAreNamedForEachInstance) {
  const Probed probed(R"(
namespace a { enum class E { One, Two }; struct Inner { struct Size { int n; }; }; }
namespace { struct Hidden {}; }
template <bool kFirst, a::E kKind> __global__ void numbers(P *p) { for (;;) p->x = kFirst; }
template <class... Ts> __global__ void types(P *p, Ts... values) { for (;;) p->x = sizeof...(values); }
template <class F> __global__ void apply(P *p, F f) { for (;;) p->x = f(1); }
void run(P *p) {
  numbers<true, a::E::Two><<<1, 1>>>(p);
  types<<<1, 1>>>(p, a::Inner::Size{}, Hidden{}, 2.0f);
  apply<<<1, 1>>>(p, [] __device__(int n) { return n; });
})");
  const std::string text = numbersOut(probed.text);
  EXPECT_THAT(text, HasSubstr("twin(&::numbers<static_cast<bool>(1), static_cast<a::E>(1)>, "
                              "&::numbers_relayoutTwinN<static_cast<bool>(1), "));
  EXPECT_THAT(text, HasSubstr("twin(&::types<a::Inner::Size, Hidden, float>, "));
  EXPECT_THAT(text, Not(HasSubstr("twin(&::apply"))); // a closure has no name
}

TEST(KernelTwins, AreNotWhereASecondKernelWouldDoSomethingElse) {
  const Probed probed(R"(
#define KERNEL(name) __global__ void name(P *p) { for (;;) p->x = 1; }
KERNEL(made)
__global__ void counts(P *p) { static int calls; for (;;) p->n = ++calls; }
__global__ void named(P *p) { for (;;) p->n = sizeof(__func__); }
__global__ void closure(P *p) { auto set = [p] { p->x = 1; }; for (;;) set(); }
__global__ void local(P *p) { struct Sum { float x; }; for (;;) p->x = Sum{2}.x; }
namespace a { __global__ void outside(P *p); }
__global__ void a::outside(P *p) { for (;;) p->x = 1; }
template <class T> __global__ void special(P *p, T) { for (;;) p->x = 1; }
template <> __global__ void special<int>(P *p, int n) { for (;;) p->n = n; }
template <class T> __global__ void two(P *p, T) { for (;;) p->x = 1; }
template <int N> __global__ void two(P *p, float) { for (;;) p->x = N; }
void run(P *p) {
  special<<<1, 1>>>(p, 1);
  two<<<1, 1>>>(p, 1);
  two<3><<<1, 1>>>(p, 1.0f);
})");
  for (const char *kernel : {"made", "counts", "named", "closure", "local", "outside", "two"})
    EXPECT_EQ(probed.times(std::string(kernel) + "_relayoutTwin"), 0) << kernel;
  EXPECT_EQ(probed.times("twin(&::special"), 0);
}

TEST(KernelTwins, KernelsWithoutALoopHaveNone) {
  const Probed probed("__device__ void set(P *p) { p->x = 1; }\n"
                      "__global__ void plain(P *p) { set(p); p[1].x = 2; }\n");
  EXPECT_EQ(probed.times("plain_relayoutTwin"), 0);
}

TEST(KernelTwins, AreReportedAsTheirKernels) {
  EXPECT_EQ(withoutTwin("a::" + twinName("k", 12) + "<true>(P*, int)"), "a::k<true>(P*, int)");
  EXPECT_EQ(withoutTwin(twinName("k", 7)), "k");
  EXPECT_EQ(withoutTwin("k(P*)"), "k(P*)");
}

} // namespace
} // namespace relayout::instrument
