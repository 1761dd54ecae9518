// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: arithmetic on the two halves or four bytes of a word, and their
// dot products.
#pragma once

#include "vector_types.h"

namespace relayout::host::detail {

__host__ __device__ inline int smallerOf(int a, int b) { return b < a ? b : a; }
__host__ __device__ inline int largerOf(int a, int b) { return a < b ? b : a; }

/// The parts of a word, by their number.
template <int kParts> struct Parts {
  static constexpr int kBits = 32 / kParts;
  static constexpr int kLargest = (1 << (kBits - 1)) - 1;
  static constexpr int kSmallest = -kLargest - 1;
  static constexpr unsigned int kMask = (1u << kBits) - 1;

  __host__ __device__ static int ofUnsigned(unsigned int word, int part) {
    return static_cast<int>(word >> (part * kBits) & kMask);
  }
  __host__ __device__ static int ofSigned(unsigned int word, int part) {
    const int value = ofUnsigned(word, part);
    return value > kLargest ? value - (1 << kBits) : value;
  }
  __host__ __device__ static int clampSigned(int value) {
    return largerOf(kSmallest, smallerOf(value, kLargest));
  }
  __host__ __device__ static int clampUnsigned(int value) {
    return largerOf(0, smallerOf(value, static_cast<int>(kMask)));
  }
  /// f(part), of which the low bits are kept, for each part.
  template <class F> __host__ __device__ static unsigned int each(F f) {
    unsigned int word = 0;
    for (int part = 0; part < kParts; ++part)
      word |= (static_cast<unsigned int>(f(part)) & kMask) << (part * kBits);
    return word;
  }
  template <class F> __host__ __device__ static unsigned int sum(F f) {
    unsigned int total = 0;
    for (int part = 0; part < kParts; ++part)
      total += static_cast<unsigned int>(f(part));
    return total;
  }
};

} // namespace relayout::host::detail

// `x` and `y` are the parts, read as signed or unsigned numbers.
#define RELAYOUT_PARTS(count, fold, name, Sign, expression)                                        \
  __device__ inline unsigned int name##count(unsigned int a, unsigned int b) {                     \
    using Parts = relayout::host::detail::Parts<count>;                                            \
    return Parts::fold([=](int part) {                                                             \
      const int x = Parts::of##Sign(a, part), y = Parts::of##Sign(b, part);                        \
      return expression;                                                                           \
    });                                                                                            \
  }
#define RELAYOUT_BINARY(name, Sign, expression)                                                    \
  RELAYOUT_PARTS(2, each, name, Sign, expression)                                                  \
  RELAYOUT_PARTS(4, each, name, Sign, expression)
#define RELAYOUT_UNARY(name, expression)                                                           \
  RELAYOUT_UNARY_PARTS(2, name, expression) RELAYOUT_UNARY_PARTS(4, name, expression)
#define RELAYOUT_UNARY_PARTS(count, name, expression)                                              \
  __device__ inline unsigned int name##count(unsigned int a) {                                     \
    using Parts = relayout::host::detail::Parts<count>;                                            \
    return Parts::each([=](int part) {                                                             \
      const int x = Parts::ofSigned(a, part);                                                      \
      return expression;                                                                           \
    });                                                                                            \
  }
RELAYOUT_UNARY(__vabs, x < 0 ? -x : x)
RELAYOUT_UNARY(__vabsss, Parts::clampSigned(x < 0 ? -x : x))
RELAYOUT_UNARY(__vneg, -x)
RELAYOUT_UNARY(__vnegss, Parts::clampSigned(-x))
RELAYOUT_BINARY(__vadd, Unsigned, x + y)
RELAYOUT_BINARY(__vaddss, Signed, Parts::clampSigned(x + y))
RELAYOUT_BINARY(__vaddus, Unsigned, Parts::clampUnsigned(x + y))
RELAYOUT_BINARY(__vsub, Unsigned, x - y)
RELAYOUT_BINARY(__vsubss, Signed, Parts::clampSigned(x - y))
RELAYOUT_BINARY(__vsubus, Unsigned, Parts::clampUnsigned(x - y))
RELAYOUT_BINARY(__vabsdiffs, Signed, x < y ? y - x : x - y)
RELAYOUT_BINARY(__vabsdiffu, Unsigned, x < y ? y - x : x - y)
// Halves are rounded away from zero.
RELAYOUT_BINARY(__vavgs, Signed, (x + y + (x + y < 0 ? 0 : 1)) >> 1)
RELAYOUT_BINARY(__vavgu, Unsigned, (x + y + 1) >> 1)
RELAYOUT_BINARY(__vhaddu, Unsigned, (x + y) >> 1)
RELAYOUT_BINARY(__vmaxs, Signed, x < y ? y : x)
RELAYOUT_BINARY(__vmaxu, Unsigned, x < y ? y : x)
RELAYOUT_BINARY(__vmins, Signed, y < x ? y : x)
RELAYOUT_BINARY(__vminu, Unsigned, y < x ? y : x)
RELAYOUT_PARTS(2, sum, __vsads, Signed, (x < y ? y - x : x - y))
RELAYOUT_PARTS(4, sum, __vsads, Signed, (x < y ? y - x : x - y))
RELAYOUT_PARTS(2, sum, __vsadu, Unsigned, (x < y ? y - x : x - y))
RELAYOUT_PARTS(4, sum, __vsadu, Unsigned, (x < y ? y - x : x - y))
// A comparison sets all bits of a part, or its lowest.
#define RELAYOUT_COMPARISON(suffix, Sign, operation)                                               \
  RELAYOUT_BINARY(__vcmp##suffix, Sign, x operation y ? -1 : 0)                                    \
  RELAYOUT_BINARY(__vset##suffix, Sign, x operation y ? 1 : 0)
RELAYOUT_COMPARISON(eq, Unsigned, ==)
RELAYOUT_COMPARISON(ne, Unsigned, !=)
RELAYOUT_COMPARISON(ges, Signed, >=)
RELAYOUT_COMPARISON(geu, Unsigned, >=)
RELAYOUT_COMPARISON(gts, Signed, >)
RELAYOUT_COMPARISON(gtu, Unsigned, >)
RELAYOUT_COMPARISON(les, Signed, <=)
RELAYOUT_COMPARISON(leu, Unsigned, <=)
RELAYOUT_COMPARISON(lts, Signed, <)
RELAYOUT_COMPARISON(ltu, Unsigned, <)
#undef RELAYOUT_COMPARISON
#undef RELAYOUT_BINARY
#undef RELAYOUT_UNARY
#undef RELAYOUT_UNARY_PARTS
#undef RELAYOUT_PARTS

// Minima and maxima of two or three, or of a sum, of the word or of its halves.
#define RELAYOUT_MINMAX_U32(name, expression3)                                                     \
  __host__ __device__ inline unsigned int name(unsigned int a, unsigned int b, unsigned int c) {   \
    return expression3;                                                                            \
  }
#define RELAYOUT_MINMAX_S32(name, expression)                                                      \
  __host__ __device__ inline int name(int a, int b, int c) {                                       \
    using relayout::host::detail::largerOf;                                                        \
    using relayout::host::detail::smallerOf;                                                       \
    return expression;                                                                             \
  }                                                                                                \
  __host__ __device__ inline int name##_relu(int a, int b, int c) {                                \
    const int value = name(a, b, c);                                                               \
    return value < 0 ? 0 : value;                                                                  \
  }
#define RELAYOUT_MINMAX_16(name, Sign, expression)                                                 \
  __host__ __device__ inline unsigned int name(unsigned int a, unsigned int b, unsigned int c) {   \
    using Parts = relayout::host::detail::Parts<2>;                                                \
    using relayout::host::detail::largerOf;                                                        \
    using relayout::host::detail::smallerOf;                                                       \
    return Parts::each([=](int part) {                                                             \
      const int x = Parts::of##Sign(a, part), y = Parts::of##Sign(b, part);                        \
      const int z = Parts::of##Sign(c, part);                                                      \
      return expression;                                                                           \
    });                                                                                            \
  }
#define RELAYOUT_SUM16 Parts::ofSigned(static_cast<unsigned int>(x + y) & 0xffffu, 0)
#define RELAYOUT_USUM16 ((x + y) & 0xffff)
RELAYOUT_MINMAX_S32(__viaddmax_s32, largerOf(static_cast<int>(static_cast<unsigned int>(a) +
                                                              static_cast<unsigned int>(b)),
                                             c))
RELAYOUT_MINMAX_S32(__viaddmin_s32, smallerOf(static_cast<int>(static_cast<unsigned int>(a) +
                                                               static_cast<unsigned int>(b)),
                                              c))
RELAYOUT_MINMAX_S32(__vimax3_s32, largerOf(largerOf(a, b), c))
RELAYOUT_MINMAX_S32(__vimin3_s32, smallerOf(smallerOf(a, b), c))
RELAYOUT_MINMAX_U32(__viaddmax_u32, a + b < c ? c : a + b)
RELAYOUT_MINMAX_U32(__viaddmin_u32, c < a + b ? c : a + b)
RELAYOUT_MINMAX_U32(__vimax3_u32, a < b ? (b < c ? c : b) : (a < c ? c : a))
RELAYOUT_MINMAX_U32(__vimin3_u32, b < a ? (c < b ? c : b) : (c < a ? c : a))
RELAYOUT_MINMAX_16(__viaddmax_s16x2, Signed, largerOf(RELAYOUT_SUM16, z))
RELAYOUT_MINMAX_16(__viaddmin_s16x2, Signed, smallerOf(RELAYOUT_SUM16, z))
RELAYOUT_MINMAX_16(__vimax3_s16x2, Signed, largerOf(largerOf(x, y), z))
RELAYOUT_MINMAX_16(__vimin3_s16x2, Signed, smallerOf(smallerOf(x, y), z))
RELAYOUT_MINMAX_16(__viaddmax_s16x2_relu, Signed, largerOf(largerOf(RELAYOUT_SUM16, z), 0))
RELAYOUT_MINMAX_16(__viaddmin_s16x2_relu, Signed, largerOf(smallerOf(RELAYOUT_SUM16, z), 0))
RELAYOUT_MINMAX_16(__vimax3_s16x2_relu, Signed, largerOf(largerOf(largerOf(x, y), z), 0))
RELAYOUT_MINMAX_16(__vimin3_s16x2_relu, Signed, largerOf(smallerOf(smallerOf(x, y), z), 0))
RELAYOUT_MINMAX_16(__viaddmax_u16x2, Unsigned, largerOf(RELAYOUT_USUM16, z))
RELAYOUT_MINMAX_16(__viaddmin_u16x2, Unsigned, smallerOf(RELAYOUT_USUM16, z))
RELAYOUT_MINMAX_16(__vimax3_u16x2, Unsigned, largerOf(largerOf(x, y), z))
RELAYOUT_MINMAX_16(__vimin3_u16x2, Unsigned, smallerOf(smallerOf(x, y), z))
__host__ __device__ inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
__host__ __device__ inline int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
__host__ __device__ inline unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) {
  return __vimax3_s16x2(a, b, 0);
}
__host__ __device__ inline unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) {
  return __vimin3_s16x2_relu(a, b, b);
}
#undef RELAYOUT_MINMAX_U32
#undef RELAYOUT_MINMAX_S32
#undef RELAYOUT_MINMAX_16
#undef RELAYOUT_SUM16
#undef RELAYOUT_USUM16

// The predicate says that the first operand was taken.
#define RELAYOUT_CHOICE(name, type, operation)                                                     \
  __host__ __device__ inline type name(type a, type b, bool *const first) {                        \
    *first = a operation b;                                                                        \
    return *first ? a : b;                                                                         \
  }
RELAYOUT_CHOICE(__vibmax_s32, int, >=)
RELAYOUT_CHOICE(__vibmin_s32, int, <=)
RELAYOUT_CHOICE(__vibmax_u32, unsigned int, >=)
RELAYOUT_CHOICE(__vibmin_u32, unsigned int, <=)
#undef RELAYOUT_CHOICE
#define RELAYOUT_CHOICE(name, Sign, operation)                                                     \
  __host__ __device__ inline unsigned int name(unsigned int a, unsigned int b, bool *const high,   \
                                               bool *const low) {                                  \
    using Parts = relayout::host::detail::Parts<2>;                                                \
    *low = Parts::of##Sign(a, 0) operation Parts::of##Sign(b, 0);                                  \
    *high = Parts::of##Sign(a, 1) operation Parts::of##Sign(b, 1);                                 \
    return ((*low ? a : b) & 0xffffu) | ((*high ? a : b) & 0xffff0000u);                           \
  }
RELAYOUT_CHOICE(__vibmax_s16x2, Signed, >=)
RELAYOUT_CHOICE(__vibmin_s16x2, Signed, <=)
RELAYOUT_CHOICE(__vibmax_u16x2, Unsigned, >=)
RELAYOUT_CHOICE(__vibmin_u16x2, Unsigned, <=)
#undef RELAYOUT_CHOICE

// Dot products of bytes, and of halves with two of the bytes, added to c.
#define RELAYOUT_DOT_PRODUCTS(type, Sign, byte4, half2)                                            \
  __device__ inline type __dp4a(type a, type b, type c) {                                          \
    using Bytes = relayout::host::detail::Parts<4>;                                                \
    return static_cast<type>(static_cast<unsigned int>(c) + Bytes::sum([=](int part) {             \
                               return Bytes::of##Sign(static_cast<unsigned int>(a), part) *        \
                                      Bytes::of##Sign(static_cast<unsigned int>(b), part);         \
                             }));                                                                  \
  }                                                                                                \
  __device__ inline type __dp4a(byte4 a, byte4 b, type c) {                                        \
    return static_cast<type>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w +                       \
                             static_cast<unsigned int>(c));                                        \
  }                                                                                                \
  __device__ inline type __dp2a_lo(type a, type b, type c) {                                       \
    using namespace relayout::host::detail;                                                        \
    return static_cast<type>(static_cast<unsigned int>(c) + Parts<2>::sum([=](int part) {          \
                               return static_cast<unsigned int>(Parts<2>::of##Sign(                \
                                          static_cast<unsigned int>(a), part)) *                   \
                                      static_cast<unsigned int>(                                   \
                                          Parts<4>::of##Sign(static_cast<unsigned int>(b), part)); \
                             }));                                                                  \
  }                                                                                                \
  __device__ inline type __dp2a_hi(type a, type b, type c) {                                       \
    return __dp2a_lo(a, static_cast<type>(static_cast<unsigned int>(b) >> 16), c);                 \
  }                                                                                                \
  __device__ inline type __dp2a_lo(half2 a, byte4 b, type c) {                                     \
    return static_cast<type>(static_cast<unsigned int>(a.x * b.x + a.y * b.y) +                    \
                             static_cast<unsigned int>(c));                                        \
  }                                                                                                \
  __device__ inline type __dp2a_hi(half2 a, byte4 b, type c) {                                     \
    return static_cast<type>(static_cast<unsigned int>(a.x * b.z + a.y * b.w) +                    \
                             static_cast<unsigned int>(c));                                        \
  }
RELAYOUT_DOT_PRODUCTS(int, Signed, char4, short2)
RELAYOUT_DOT_PRODUCTS(unsigned int, Unsigned, uchar4, ushort2)
#undef RELAYOUT_DOT_PRODUCTS
