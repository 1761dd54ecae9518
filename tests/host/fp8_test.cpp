// SPDX-License-Identifier: Apache-2.0
// 8-bit floating point: every value, and roundings held against a search through all of them.
#include <cuda_fp8.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

double valueOf(unsigned bits, __nv_fp8_interpretation_t format) {
  return static_cast<double>(
      __half(__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(bits), format)).number());
}

/// The code of the finite value that is nearest, of two the even one.
unsigned nearest(double size, __nv_fp8_interpretation_t format) {
  unsigned best = 0;
  for (unsigned bits = 1; bits < 0x80 && std::isfinite(valueOf(bits, format)); ++bits) {
    const double gain =
        std::fabs(valueOf(best, format) - size) - std::fabs(valueOf(bits, format) - size);
    if (gain > 0 || (gain == 0 && bits % 2 == 0))
      best = bits;
  }
  return best;
}

TEST(Fp8, ValuesAreThoseOfTheFormats) {
  EXPECT_EQ(valueOf(0x7e, __NV_E4M3), 448);
  EXPECT_TRUE(std::isnan(valueOf(0x7f, __NV_E4M3)));
  EXPECT_EQ(valueOf(0x01, __NV_E4M3), std::ldexp(1, -9));
  EXPECT_EQ(valueOf(0x08, __NV_E4M3), std::ldexp(1, -6));
  EXPECT_EQ(valueOf(0xb8, __NV_E4M3), -1);
  EXPECT_EQ(valueOf(0x7b, __NV_E5M2), 57344);
  EXPECT_TRUE(std::isinf(valueOf(0x7c, __NV_E5M2)));
  EXPECT_TRUE(std::isnan(valueOf(0x7d, __NV_E5M2)));
  EXPECT_EQ(valueOf(0x01, __NV_E5M2), std::ldexp(1, -16));
}

TEST(Fp8, ConversionsRoundOnceToNearestEven) {
  std::mt19937_64 random(8);
  for (const auto format : {__NV_E4M3, __NV_E5M2}) {
    const double largest = format == __NV_E4M3 ? 448 : 57344;
    for (int i = 0; i < 20000; ++i) {
      const double size = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52,
                                     static_cast<int>(random() % 36) - 20);
      if (size <= largest) {
        ASSERT_EQ(__nv_cvt_double_to_fp8(size, __NV_NOSAT, format), nearest(size, format)) << size;
        ASSERT_EQ(__nv_cvt_double_to_fp8(-size, __NV_NOSAT, format), nearest(size, format) | 0x80);
      }
    }
    // Midpoints between adjacent values, where a second rounding would show.
    for (unsigned bits = 0; valueOf(bits + 1, format) <= largest; ++bits) {
      const double middle = (valueOf(bits, format) + valueOf(bits + 1, format)) / 2;
      EXPECT_EQ(__nv_cvt_double_to_fp8(middle, __NV_NOSAT, format), bits + bits % 2);
      EXPECT_EQ(__nv_cvt_double_to_fp8(std::nextafter(middle, 1e9), __NV_NOSAT, format), bits + 1);
      EXPECT_EQ(__nv_cvt_double_to_fp8(std::nextafter(middle, 0), __NV_NOSAT, format), bits);
    }
  }
}

TEST(Fp8, WhatIsTooLargeSaturatesOrNot) {
  EXPECT_EQ(__nv_cvt_float_to_fp8(464.0f, __NV_NOSAT, __NV_E4M3), 0x7e);
  EXPECT_EQ(__nv_cvt_float_to_fp8(464.5f, __NV_NOSAT, __NV_E4M3), 0x7f);
  EXPECT_EQ(__nv_cvt_float_to_fp8(-1e9f, __NV_SATFINITE, __NV_E4M3), 0xfe);
  EXPECT_EQ(__nv_cvt_float_to_fp8(61439.0f, __NV_NOSAT, __NV_E5M2), 0x7b);
  EXPECT_EQ(__nv_cvt_float_to_fp8(61440.0f, __NV_NOSAT, __NV_E5M2), 0x7c);
  EXPECT_EQ(__nv_cvt_float_to_fp8(INFINITY, __NV_SATFINITE, __NV_E5M2), 0x7b);
  EXPECT_EQ(__nv_cvt_float_to_fp8(NAN, __NV_SATFINITE, __NV_E4M3), 0x7f);
}

TEST(Fp8, TypesConvertAsTheirFunctions) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    __nv_fp8_e4m3 value;
    value.__x = static_cast<unsigned char>(bits);
    if (std::isfinite(valueOf(bits, __NV_E4M3))) {
      EXPECT_EQ(__nv_fp8_e4m3(static_cast<float>(value)).__x, bits);
      EXPECT_EQ(__nv_fp8_e4m3(static_cast<__half>(value)).__x, bits);
      EXPECT_EQ(__nv_fp8_e4m3(static_cast<__nv_bfloat16>(value)).__x, bits);
      EXPECT_EQ(static_cast<int>(value), static_cast<int>(valueOf(bits, __NV_E4M3)));
    }
  }
  EXPECT_EQ(static_cast<signed char>(__nv_fp8_e4m3(-448.0f)), -128);
  EXPECT_EQ(static_cast<unsigned char>(__nv_fp8_e4m3(-3.0f)), 0);
  EXPECT_EQ(static_cast<unsigned char>(__nv_fp8_e5m2(1024.0f)), 255);
  EXPECT_EQ(__nv_fp8x2_e4m3(float2{1, -2}).__x, 0xc038);
  EXPECT_EQ(static_cast<float2>(__nv_fp8x2_e5m2(float2{3, -0.5f})).y, -0.5f);
  EXPECT_EQ(static_cast<float4>(__nv_fp8x4_e4m3(float4{1, 2, 3, 4})).w, 4);
  EXPECT_EQ(__nv_fp8x4_e5m2(__half2(1.0f, 2.0f), __half2(3.0f, 4.0f)).__x, 0x4442403cu);
}

TEST(Fp8, ScalesArePowersOfTwo) {
  EXPECT_EQ(__nv_cvt_float_to_e8m0(1.0f, __NV_SATFINITE, cudaRoundZero), 127);
  EXPECT_EQ(__nv_cvt_float_to_e8m0(1.5f, __NV_SATFINITE, cudaRoundZero), 127);
  EXPECT_EQ(__nv_cvt_float_to_e8m0(1.5f, __NV_SATFINITE, cudaRoundPosInf), 128);
  EXPECT_EQ(__nv_cvt_float_to_e8m0(-4.0f, __NV_SATFINITE, cudaRoundPosInf), 129);
  EXPECT_EQ(__nv_cvt_float_to_e8m0(0.0f, __NV_SATFINITE, cudaRoundPosInf), 0);
  EXPECT_EQ(__nv_cvt_float_to_e8m0(INFINITY, __NV_SATFINITE, cudaRoundZero), 0xfe);
  EXPECT_EQ(__nv_cvt_float_to_e8m0(INFINITY, __NV_NOSAT, cudaRoundZero), 0xff);
  EXPECT_EQ(static_cast<float>(__nv_fp8_e8m0(0.3f)), 0.5f);
}

} // namespace
