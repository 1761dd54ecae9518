// SPDX-License-Identifier: Apache-2.0
// Arithmetic in the directions that kernels ask for: on the right side of the exact result, and no
// further from it than the next number.
#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>

namespace {

__extension__ typedef __float128 Exact; // 113 bits hold products and near sums of doubles

/// \param sideOf  the sign of exact result - x
template <class T, class Side> void expectDirected(T down, T up, T zero, Side sideOf) {
  ASSERT_GE(sideOf(down), 0) << down;
  ASSERT_LE(sideOf(up), 0) << up;
  ASSERT_TRUE(down == up || std::nextafter(down, static_cast<T>(INFINITY)) == up)
      << down << " " << up;
  ASSERT_EQ(zero, down < 0 || (down == 0 && up < 0) ? up : down);
}

int sign(Exact value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

template <class T> T drawn(std::mt19937_64 &random) {
  return static_cast<T>(std::ldexp(static_cast<double>(static_cast<long long>(random())),
                                   static_cast<int>(random() % 10) - 66));
}

#define EXPECT_DIRECTED(call, side) expectDirected(call(_rd), call(_ru), call(_rz), side)

TEST(DirectedRounding, OfFloats) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    const auto a = drawn<float>(random), b = drawn<float>(random), c = drawn<float>(random);
#define CALL(mode) __fadd##mode(a, b)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(a) + b - x); });
#undef CALL
#define CALL(mode) __fsub##mode(a, b)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(a) - b - x); });
#undef CALL
#define CALL(mode) __fmul##mode(a, b)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(a) * b - x); });
#undef CALL
#define CALL(mode) __fmaf##mode(a, b, c)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(a) * b + c - x); });
#undef CALL
#define CALL(mode) __fdiv##mode(a, b)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(a) - Exact(x) * b) * sign(b); });
#undef CALL
#define CALL(mode) __frcp##mode(b)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(1 - Exact(x) * b) * sign(b); });
#undef CALL
    const float size = std::fabs(a);
#define CALL(mode) __fsqrt##mode(size)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(size - Exact(x) * x); });
#undef CALL
  }
}

TEST(DirectedRounding, OfDoubles) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    const auto a = drawn<double>(random), b = drawn<double>(random);
#define CALL(mode) __dadd##mode(a, b)
    EXPECT_DIRECTED(CALL, [&](double x) { return sign(Exact(a) + b - x); });
#undef CALL
#define CALL(mode) __dmul##mode(a, b)
    EXPECT_DIRECTED(CALL, [&](double x) { return sign(Exact(a) * b - x); });
#undef CALL
#define CALL(mode) __fma##mode(a, b, 0.0)
    EXPECT_DIRECTED(CALL, [&](double x) { return sign(Exact(a) * b - x); });
#undef CALL
#define CALL(mode) __ddiv##mode(a, b)
    EXPECT_DIRECTED(CALL, [&](double x) { return sign(Exact(a) - Exact(x) * b) * sign(b); });
#undef CALL
    const double size = std::fabs(a);
#define CALL(mode) __dsqrt##mode(size)
    EXPECT_DIRECTED(CALL, [&](double x) { return sign(size - Exact(x) * x); });
#undef CALL
  }
}

TEST(DirectedRounding, OfConversions) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const auto bits = random();
    const auto word = static_cast<unsigned int>(bits);
    const double number = drawn<double>(random);
#define CALL(mode) __double2float##mode(number)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(number) - x); });
#undef CALL
#define CALL(mode) __int2float##mode(static_cast<int>(word))
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(static_cast<int>(word)) - x); });
#undef CALL
#define CALL(mode) __uint2float##mode(word)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(word) - x); });
#undef CALL
#define CALL(mode) __ll2float##mode(static_cast<long long>(bits))
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(static_cast<long long>(bits)) - x); });
#undef CALL
#define CALL(mode) __ull2float##mode(bits)
    EXPECT_DIRECTED(CALL, [&](float x) { return sign(Exact(bits) - x); });
#undef CALL
#define CALL(mode) __ll2double##mode(static_cast<long long>(bits))
    EXPECT_DIRECTED(CALL, [&](double x) { return sign(Exact(static_cast<long long>(bits)) - x); });
#undef CALL
#define CALL(mode) __ull2double##mode(bits)
    EXPECT_DIRECTED(CALL, [&](double x) { return sign(Exact(bits) - x); });
#undef CALL
  }
}

TEST(DirectedRounding, LeavesTheModeAsItWas) {
  const float third = 1.0f / 3.0f;
  (void)__fadd_ru(1.0f, 0x1p-40f);
  const volatile float three = 3.0f;
  EXPECT_EQ(1.0f / three, third);
}

} // namespace
