// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the parts of a word, part by part with wide integers.
#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using Wide = std::int64_t;

/// The parts of a word as numbers, the lowest first.
std::vector<Wide> parts(unsigned word, int count, bool isSigned) {
  std::vector<Wide> numbers;
  const int bits = 32 / count;
  for (int i = 0; i < count; ++i) {
    const Wide part = word >> (i * bits) & ((1ll << bits) - 1);
    numbers.push_back(isSigned && part >> (bits - 1) ? part - (1ll << bits) : part);
  }
  return numbers;
}

Wide clamp(Wide value, int count, bool isSigned) {
  const Wide values = Wide(1) << 32 / count;
  return isSigned ? std::clamp<Wide>(value, -values / 2, values / 2 - 1)
                  : std::clamp<Wide>(value, 0, values - 1);
}

std::vector<unsigned> words() {
  std::vector<unsigned> all = {0,          ~0u,        0x80008000u, 0x7fff7fffu,
                               0x80808080, 0x7f7f7f7f, 0x0001ff00u, 0xffff0001u};
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i)
    all.push_back(random());
  return all;
}

/// f(x, y) on each part, put together again.
template <class F> unsigned reference(unsigned a, unsigned b, int count, bool isSigned, F f) {
  const auto x = parts(a, count, isSigned), y = parts(b, count, isSigned);
  unsigned word = 0;
  for (int i = 0; i < count; ++i)
    word |= (static_cast<unsigned>(f(x[i], y[i])) & static_cast<unsigned>((1ll << 32 / count) - 1))
            << (i * 32 / count);
  return word;
}

#define EXPECT_PARTS(name, isSigned, expression)                                                   \
  for (const unsigned a : words())                                                                 \
    for (const unsigned b : words())                                                               \
      for (const int count : {2, 4})                                                               \
  ASSERT_EQ((count == 2 ? name##2(a, b) : name##4(a, b)), reference(a, b, count, isSigned,         \
                                                                    [=](Wide x, Wide y) -> Wide {  \
                                                                      (void)count, (void)x,        \
                                                                          (void)y;                 \
                                                                      return expression;           \
                                                                    }))                            \
      << #name << count << " " << std::hex << a << " " << b

TEST(Simd, ArithmeticWrapsOrSaturates) {
  EXPECT_PARTS(__vadd, false, x + y);
  EXPECT_PARTS(__vsub, false, x - y);
  EXPECT_PARTS(__vaddss, true, clamp(x + y, count, true));
  EXPECT_PARTS(__vaddus, false, clamp(x + y, count, false));
  EXPECT_PARTS(__vsubss, true, clamp(x - y, count, true));
  EXPECT_PARTS(__vsubus, false, clamp(x - y, count, false));
  EXPECT_PARTS(__vabsdiffs, true, std::abs(x - y));
  EXPECT_PARTS(__vabsdiffu, false, std::abs(x - y));
  EXPECT_PARTS(__vavgu, false, (x + y + 1) / 2);
  EXPECT_PARTS(__vhaddu, false, (x + y) / 2);
  EXPECT_PARTS(__vavgs, true, (x + y < 0 ? x + y - 1 : x + y + 1) / 2);
  EXPECT_PARTS(__vmaxs, true, std::max(x, y));
  EXPECT_PARTS(__vmaxu, false, std::max(x, y));
  EXPECT_PARTS(__vmins, true, std::min(x, y));
  EXPECT_PARTS(__vminu, false, std::min(x, y));
}

TEST(Simd, ComparisonsSetAllBitsOrOne) {
  EXPECT_PARTS(__vcmpeq, true, x == y ? -1 : 0);
  EXPECT_PARTS(__vcmpne, true, x != y ? -1 : 0);
  EXPECT_PARTS(__vcmpges, true, x >= y ? -1 : 0);
  EXPECT_PARTS(__vcmpgeu, false, x >= y ? -1 : 0);
  EXPECT_PARTS(__vcmpgts, true, x > y ? -1 : 0);
  EXPECT_PARTS(__vcmpgtu, false, x > y ? -1 : 0);
  EXPECT_PARTS(__vcmples, true, x <= y ? -1 : 0);
  EXPECT_PARTS(__vcmpleu, false, x <= y ? -1 : 0);
  EXPECT_PARTS(__vcmplts, true, x < y ? -1 : 0);
  EXPECT_PARTS(__vcmpltu, false, x < y ? -1 : 0);
  EXPECT_PARTS(__vseteq, true, x == y);
  EXPECT_PARTS(__vsetne, true, x != y);
  EXPECT_PARTS(__vsetges, true, x >= y);
  EXPECT_PARTS(__vsetgeu, false, x >= y);
  EXPECT_PARTS(__vsetgts, true, x > y);
  EXPECT_PARTS(__vsetgtu, false, x > y);
  EXPECT_PARTS(__vsetles, true, x <= y);
  EXPECT_PARTS(__vsetleu, false, x <= y);
  EXPECT_PARTS(__vsetlts, true, x < y);
  EXPECT_PARTS(__vsetltu, false, x < y);
}

TEST(Simd, UnaryOperationsAndSums) {
  for (const unsigned a : words())
    for (const int count : {2, 4}) {
      const auto each = [&](auto f) {
        return reference(a, 0, count, true, [&](Wide x, Wide) { return f(x); });
      };
      EXPECT_EQ(count == 2 ? __vabs2(a) : __vabs4(a), each([](Wide x) { return std::abs(x); }));
      EXPECT_EQ(count == 2 ? __vneg2(a) : __vneg4(a), each([](Wide x) { return -x; }));
      EXPECT_EQ(count == 2 ? __vabsss2(a) : __vabsss4(a),
                each([&](Wide x) { return clamp(std::abs(x), count, true); }));
      EXPECT_EQ(count == 2 ? __vnegss2(a) : __vnegss4(a),
                each([&](Wide x) { return clamp(-x, count, true); }));
      for (const unsigned b : words()) {
        Wide sum[2] = {0, 0};
        for (const bool isSigned : {false, true})
          for (int i = 0; i < count; ++i)
            sum[isSigned] += std::abs(parts(a, count, isSigned)[i] - parts(b, count, isSigned)[i]);
        EXPECT_EQ(count == 2 ? __vsadu2(a, b) : __vsadu4(a, b), sum[0]);
        EXPECT_EQ(count == 2 ? __vsads2(a, b) : __vsads4(a, b), sum[1]);
      }
    }
}

TEST(Simd, MinimaAndMaximaOfThreeAndOfSums) {
  for (const unsigned a : words())
    for (const unsigned b : words()) {
      const unsigned c = a * 2654435761u ^ b;
      const int i = static_cast<int>(a), j = static_cast<int>(b), k = static_cast<int>(c);
      const int sum = static_cast<int>(a + b);
      EXPECT_EQ(__viaddmax_s32(i, j, k), std::max(sum, k));
      EXPECT_EQ(__viaddmin_s32_relu(i, j, k), std::max(std::min(sum, k), 0));
      EXPECT_EQ(__viaddmax_u32(a, b, c), std::max(a + b, c));
      EXPECT_EQ(__vimax3_s32_relu(i, j, k), std::max({i, j, k, 0}));
      EXPECT_EQ(__vimin3_u32(a, b, c), std::min({a, b, c}));
      EXPECT_EQ(__vimax_s32_relu(i, j), std::max({i, j, 0}));
      EXPECT_EQ(__vimin_s16x2_relu(a, b), reference(a, b, 2, true, [](Wide x, Wide y) {
                  return std::max<Wide>(std::min(x, y), 0);
                }));
      const unsigned sums = __vadd2(a, b);
      EXPECT_EQ(__viaddmax_s16x2(a, b, c), __vmaxs2(sums, c));
      EXPECT_EQ(__viaddmin_u16x2(a, b, c), __vminu2(sums, c));
      EXPECT_EQ(__viaddmin_s16x2_relu(a, b, c), __vmaxs2(__vmins2(sums, c), 0));
      EXPECT_EQ(__vimin3_s16x2(a, b, c), __vmins2(__vmins2(a, b), c));
      bool high = false, low = false, first = false;
      EXPECT_EQ(__vibmax_s16x2(a, b, &high, &low), __vmaxs2(a, b));
      EXPECT_EQ(high, (__vsetges2(a, b) >> 16) != 0);
      EXPECT_EQ(low, (__vsetges2(a, b) & 1) != 0);
      EXPECT_EQ(__vibmin_u32(a, b, &first), std::min(a, b));
      EXPECT_EQ(first, a <= b);
    }
}

TEST(Simd, DotProducts) {
  for (const unsigned a : words())
    for (const unsigned b : words()) {
      Wide signedBytes = 5, unsignedBytes = 5, low = 5, high = 5;
      for (int i = 0; i < 4; ++i) {
        signedBytes += parts(a, 4, true)[i] * parts(b, 4, true)[i];
        unsignedBytes += parts(a, 4, false)[i] * parts(b, 4, false)[i];
      }
      for (int i = 0; i < 2; ++i) {
        low += parts(a, 2, true)[i] * parts(b, 4, true)[i];
        high += parts(a, 2, false)[i] * parts(b, 4, false)[i + 2];
      }
      EXPECT_EQ(__dp4a(static_cast<int>(a), static_cast<int>(b), 5), signedBytes);
      EXPECT_EQ(__dp4a(a, b, 5u), unsignedBytes);
      EXPECT_EQ(__dp2a_lo(static_cast<int>(a), static_cast<int>(b), 5), low);
      EXPECT_EQ(__dp2a_hi(a, b, 5u), high);
    }
  EXPECT_EQ(__dp4a(char4{1, -2, 3, -4}, char4{5, 6, 7, 8}, 100), 100 + 5 - 12 + 21 - 32);
  EXPECT_EQ(__dp2a_hi(short2{300, -2}, char4{1, 2, 3, 4}, 1), 1 + 900 - 8);
}

} // namespace
