// SPDX-License-Identifier: Apache-2.0
// 16-bit floating point: every value, and roundings held against exact arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace {

template <class T> T ofBits(unsigned short bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(Half, EveryValueSurvivesFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = ofBits<__half>(static_cast<unsigned short>(bits));
    const auto brain = ofBits<__nv_bfloat16>(static_cast<unsigned short>(bits));
    if (!__hisnan(half)) {
      ASSERT_EQ(__half_as_ushort(__float2half(__half2float(half))), bits);
    }
    if (!__hisnan(brain)) {
      ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(__bfloat162float(brain))), bits);
    }
  }
}

TEST(Half, BrainFloatsAreTheUpperHalvesOfFloats) {
  for (const unsigned upper : {0x3f80u, 0x4049u, 0x0001u, 0x8000u, 0x7f7fu, 0x7f80u, 0xff80u})
    EXPECT_EQ(__bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(upper))),
              __uint_as_float(upper << 16));
}

TEST(Half, ConversionsRoundAsNamed) {
  // Between 1 and 1 + 2^-10, past the middle, and just below 0.
  const float above = 1.0f + 0x1.4p-11f, tiny = -0x1p-30f;
  EXPECT_EQ(__half_as_ushort(__float2half_rn(above)), 0x3c01);
  EXPECT_EQ(__half_as_ushort(__float2half_rz(above)), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__float2half_rd(above)), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__float2half_ru(above)), 0x3c01);
  EXPECT_EQ(__half_as_ushort(__float2half_rd(tiny)), 0x8001);
  EXPECT_EQ(__half_as_ushort(__float2half_ru(tiny)), 0x8000);
  // Ties go to the even neighbour.
  EXPECT_EQ(__half_as_ushort(__float2half(1.0f + 0x1p-11f)), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__float2half(1.0f + 0x3p-11f)), 0x3c02);
  EXPECT_EQ(__half_as_ushort(__float2half(65520.0f)), 0x7c00);
  EXPECT_EQ(__half_as_ushort(__float2half_rz(1e10f)), 0x7bff);
  EXPECT_EQ(__half_as_ushort(__float2half(0x1p-25f)), 0x0000);
  EXPECT_EQ(__half_as_ushort(__float2half(0x1.8p-25f)), 0x0001);
  EXPECT_EQ(__half_as_ushort(__float2half(NAN)), 0x7fff);
  EXPECT_EQ(__half2int_rn(__float2half(2.5f)), 2);
  EXPECT_EQ(__half2int_ru(__float2half(2.5f)), 3);
  EXPECT_EQ(__half2float(__int2half_rn(2049)), 2048.0f);
  EXPECT_EQ(__half2float(__int2half_ru(2049)), 2050.0f);
}

template <class To, class From> To cast(From value) { return static_cast<To>(value); }

TEST(Half, CastsToIntegersTruncateAndSaturate) {
  const __half half = -1.75f;
  EXPECT_EQ(cast<char>(half), char(-1));
  EXPECT_EQ(cast<signed char>(half), -1);
  EXPECT_EQ(cast<unsigned char>(half), 0);
  EXPECT_EQ(cast<short>(half), -1);
  EXPECT_EQ(cast<unsigned short>(half), 0);
  EXPECT_EQ(cast<unsigned>(half), 0u);
  EXPECT_EQ(cast<long>(half), -1);
  EXPECT_EQ(cast<unsigned long long>(half), 0u);
  EXPECT_TRUE(cast<bool>(half));
  EXPECT_EQ(cast<double>(half), -1.75);
  const __nv_bfloat16 large = 300.0f;
  EXPECT_EQ(cast<signed char>(large), 127);
  EXPECT_EQ(cast<unsigned char>(large), 255);
  EXPECT_EQ(cast<short>(large), 300);
  const __half infinite = -HUGE_VALF;
  EXPECT_EQ(cast<int>(infinite), INT_MIN);
  EXPECT_EQ(cast<long long>(infinite), LLONG_MIN);
  EXPECT_EQ(__half2short_ru(__half(-0.5f)), 0);
  EXPECT_EQ(__half2ushort_rn(__half(-5.0f)), 0);
  EXPECT_EQ(__half2char_rz(__half(-500.0f)), -128);
  // Of what is no number 0, or the highest bit of 64.
  const __half none = NAN;
  EXPECT_EQ(cast<int>(none), 0);
  EXPECT_EQ(cast<unsigned char>(none), 0);
  EXPECT_EQ(cast<long long>(none), LLONG_MIN);
  EXPECT_EQ(cast<unsigned long long>(none), 1ull << 63);
}

TEST(Half, CastsFromNumbersRoundOnce) {
  EXPECT_EQ(__half2float(cast<__half>('A')), 65.0f);
  EXPECT_EQ(__half2float(cast<__half>(static_cast<unsigned char>(200))), 200.0f);
  EXPECT_EQ(__half2float(cast<__half>(true)), 1.0f);
  EXPECT_EQ(__half2float(cast<__half>(2049l)), 2048.0f);
  EXPECT_EQ(__bfloat162float(cast<__nv_bfloat16>(257ull)), 256.0f);
  EXPECT_EQ(__bfloat162float(cast<__nv_bfloat16>(0.1)), 0x1.9ap-4f);
}

TEST(Half, CastsBetweenTheFormatsAreExplicit) {
  EXPECT_EQ(__half2float(cast<__half>(__nv_bfloat16(1.5f))), 1.5f);
  EXPECT_EQ(__bfloat162float(cast<__nv_bfloat16>(__half(2049))), 2048.0f);
  EXPECT_EQ(__hisinf(cast<__half>(__nv_bfloat16(1e10f))), 1);
  static_assert(!std::is_convertible_v<__half, __nv_bfloat16>);
  static_assert(!std::is_convertible_v<__nv_bfloat16, __half>);
}

TEST(Half, VolatileValuesAreRead) {
  const volatile __half half = 1.5f;
  const volatile __nv_bfloat16 brain = 2.5f;
  EXPECT_EQ(__half2float(__half(half)), 1.5f);
  EXPECT_EQ(__bfloat162float(__nv_bfloat16(brain)), 2.5f);
}

TEST(Half, AFusedProductIsRoundedOnce) {
  // The product is 1 + 2^-11 - 2^-21: the addend takes it to a tie, or past it.
  const auto a = ofBits<__half>(0x3c01), b = ofBits<__half>(0x3bff);
  EXPECT_EQ(__half_as_ushort(__hfma(a, b, ofBits<__half>(0x0000))), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__hfma(a, b, ofBits<__half>(0x0008))), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__hfma(a, b, ofBits<__half>(0x0009))), 0x3c01);
  // 285 / 256 lies between two of these; an addend too small for a double's sum decides.
  const __nv_bfloat16 c = __float2bfloat16(15.0f), d = __float2bfloat16(19.0f / 256);
  EXPECT_EQ(__bfloat162float(__hfma(c, d, __float2bfloat16(0.0f))), 284.0f / 256);
  EXPECT_EQ(__bfloat162float(__hfma(c, d, __float2bfloat16(0x1p-100f))), 286.0f / 256);
  EXPECT_EQ(__bfloat162float(__hfma(c, d, __float2bfloat16(-0x1p-100f))), 284.0f / 256);
  EXPECT_EQ(__hisinf(__hfma(__half(32768), __half(32768), a)), 1);
}

TEST(Half, OperatorsPairsAndComparisons) {
  __half2 pair = __floats2half2_rn(1.5f, -2.0f);
  pair += __half2half2(__half(1));
  EXPECT_EQ(__low2float(pair), 2.5f);
  EXPECT_EQ(__high2float(pair), -1.0f);
  EXPECT_EQ(__half22float2(__lowhigh2highlow(pair)).x, -1.0f);
  EXPECT_TRUE(__half(1) < __half(2));
  EXPECT_FALSE(__half(1) == __float2half(NAN));
  EXPECT_TRUE(__hltu(__half(3), __float2half(NAN)));
  EXPECT_EQ(__half2float(__hmax(__float2half(NAN), __half(3))), 3.0f);
  EXPECT_TRUE(__hisnan(__hmax_nan(__float2half(NAN), __half(3))));
  EXPECT_EQ(__half2float(hsqrt(__half(2))), 0x1.6ap+0f);
  static_assert(sizeof(__half) == 2 && sizeof(__half2) == 4 && alignof(__half2) == 4);
  static_assert(sizeof(__nv_bfloat162) == 4 && alignof(__nv_bfloat16) == 2);
}

TEST(Half, AtomicAdditionsAreOfHalves) {
  __half value = __float2half(1.0f);
  EXPECT_EQ(__half2float(atomicAdd(&value, __float2half(0.5f))), 1.0f);
  EXPECT_EQ(__half2float(value), 1.5f);
}

} // namespace
