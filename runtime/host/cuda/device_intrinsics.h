// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: arithmetic, bit and conversion intrinsics. Those that
// round in another direction than to the nearest are calls of the runtime.
#pragma once

#include "host_defines.h"

#include <math.h>

namespace relayout::host::detail {
__host__ __device__ float unitSine(float radians);
__host__ __device__ float unitCosine(float radians);
} // namespace relayout::host::detail

// Rounding to nearest is what the CPU does; lowered programs are compiled without contraction.
#define RELAYOUT_BINARY(name, type, expression)                                                    \
  __device__ inline type name(type a, type b) { return expression; }
#define RELAYOUT_UNARY(name, type, expression)                                                     \
  __device__ inline type name(type a) { return expression; }
RELAYOUT_BINARY(__fadd_rn, float, a + b)
RELAYOUT_BINARY(__fsub_rn, float, a - b)
RELAYOUT_BINARY(__fmul_rn, float, a *b)
RELAYOUT_BINARY(__fdiv_rn, float, a / b)
RELAYOUT_BINARY(__dadd_rn, double, a + b)
RELAYOUT_BINARY(__dsub_rn, double, a - b)
RELAYOUT_BINARY(__dmul_rn, double, a *b)
RELAYOUT_BINARY(__ddiv_rn, double, a / b)
RELAYOUT_UNARY(__frcp_rn, float, 1.0f / a)
RELAYOUT_UNARY(__fsqrt_rn, float, __builtin_sqrtf(a))
RELAYOUT_UNARY(__frsqrt_rn, float, static_cast<float>(1.0 / __builtin_sqrt(a)))
RELAYOUT_UNARY(__drcp_rn, double, 1.0 / a)
RELAYOUT_UNARY(__dsqrt_rn, double, __builtin_sqrt(a))
__device__ inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ inline float __fmaf_ieee_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c); // nothing is flushed to zero here
}
__device__ inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

// Fast approximations are the full functions, but for sine and cosine.
RELAYOUT_BINARY(__fdividef, float, a / b)
RELAYOUT_BINARY(__powf, float, ::powf(a, b))
RELAYOUT_UNARY(__expf, float, ::expf(a))
RELAYOUT_UNARY(__exp10f, float, ::powf(10.0f, a))
RELAYOUT_UNARY(__logf, float, ::logf(a))
RELAYOUT_UNARY(__log2f, float, ::log2f(a))
RELAYOUT_UNARY(__log10f, float, ::log10f(a))
// Of the special function unit, to the last bit.
RELAYOUT_UNARY(__sinf, float, relayout::host::detail::unitSine(a))
RELAYOUT_UNARY(__cosf, float, relayout::host::detail::unitCosine(a))
RELAYOUT_UNARY(__tanf, float, ::tanf(a))
RELAYOUT_UNARY(__tanhf, float, ::tanhf(a))
RELAYOUT_UNARY(__saturatef, float, a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f)
__device__ inline void __sincosf(float a, float *sine, float *cosine) {
  *sine = __sinf(a);
  *cosine = __cosf(a);
}
#undef RELAYOUT_BINARY
#undef RELAYOUT_UNARY

// Bits.
/// The position of the bit that is `offset` set bits from `base`, itself the first; all ones: none.
__device__ inline unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  for (int at = static_cast<int>(base), left = offset < 0 ? -offset : offset; at >= 0 && at < 32;
       at += offset < 0 ? -1 : 1)
    if ((mask >> at & 1) != 0 && --left == 0)
      return static_cast<unsigned int>(at);
  return ~0u;
}
__device__ inline int __popc(unsigned int x) { return __builtin_popcount(x); }
__device__ inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__device__ inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}
__device__ inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
__device__ inline int __ffs(int x) { return __builtin_ffs(x); }
__device__ inline int __ffsll(long long x) { return __builtin_ffsll(x); }
__device__ inline unsigned int __brev(unsigned int x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
__device__ inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
         __brev(static_cast<unsigned int>(x >> 32));
}
__host__ __device__ inline unsigned short __nv_bswap16(unsigned short x) {
  return __builtin_bswap16(x);
}
__host__ __device__ inline unsigned int __nv_bswap32(unsigned int x) {
  return __builtin_bswap32(x);
}
__host__ __device__ inline unsigned long long __nv_bswap64(unsigned long long x) {
  return __builtin_bswap64(x);
}
__device__ inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int choice = selector >> (4 * i) & 0xf;
    unsigned int byte = static_cast<unsigned int>(bytes >> (8 * (choice & 7)) & 0xff);
    if (choice & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
__device__ inline unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                               unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned int>(both << (shift & 31) >> 32);
}
__device__ inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                                unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
__device__ inline unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                               unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned int>(both >> (shift & 31));
}
__device__ inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high,
                                                unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// Integers.
__device__ inline int __mul24(int a, int b) {
  const auto low = [](int x) { return static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8; };
  return static_cast<int>(static_cast<long long>(low(a)) * low(b));
}
__device__ inline unsigned int __umul24(unsigned int a, unsigned int b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
__device__ inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
__device__ inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
__device__ inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
__device__ inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
__device__ inline unsigned int __sad(int a, int b, unsigned int c) {
  return c + static_cast<unsigned int>(a < b ? static_cast<long long>(b) - a
                                             : static_cast<long long>(a) - b);
}
__device__ inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a < b ? b - a : a - b);
}
__device__ inline int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
__device__ inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
__device__ inline unsigned int __uhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}
__device__ inline unsigned int __urhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

// Reinterpretations.
#define RELAYOUT_REINTERPRET(name, from, to)                                                       \
  __device__ inline to name(from value) {                                                          \
    to result;                                                                                     \
    __builtin_memcpy(&result, &value, sizeof(to));                                                 \
    return result;                                                                                 \
  }
RELAYOUT_REINTERPRET(__float_as_int, float, int)
RELAYOUT_REINTERPRET(__int_as_float, int, float)
RELAYOUT_REINTERPRET(__float_as_uint, float, unsigned int)
RELAYOUT_REINTERPRET(__uint_as_float, unsigned int, float)
RELAYOUT_REINTERPRET(__double_as_longlong, double, long long)
RELAYOUT_REINTERPRET(__longlong_as_double, long long, double)
#undef RELAYOUT_REINTERPRET
__device__ inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
__device__ inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__device__ inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 |
      static_cast<unsigned int>(low)));
}

namespace relayout::host::detail {

/// Floating point to integer as the GPU converts: out of range saturates, NaN gives `forNan`.
/// Values below tooLow and from tooHigh on are out of range.
template <class I, class F> __device__ inline I saturate(F x, F tooLow, F tooHigh, I forNan) {
  constexpr bool isSigned = static_cast<I>(-1) < static_cast<I>(0);
  constexpr I highest =
      isSigned ? static_cast<I>(~static_cast<unsigned long long>(0) >> (65 - 8 * sizeof(I)))
               : static_cast<I>(-1);
  constexpr I lowest = isSigned ? static_cast<I>(-highest - 1) : static_cast<I>(0);
  if (x != x)
    return forNan;
  if (x >= tooHigh)
    return highest;
  if (x < tooLow)
    return lowest;
  return static_cast<I>(x);
}

} // namespace relayout::host::detail

// A NaN becomes 0 in 32 bits from float; the other conversions give the top bit alone.
#define RELAYOUT_TO_INTEGER(from, fromName, to, toName, tooLow, tooHigh, forNan)                   \
  __device__ inline to __##fromName##2##toName##_rn(from x) {                                      \
    return relayout::host::detail::saturate<to, from>(__builtin_rint(x), tooLow, tooHigh, forNan); \
  }                                                                                                \
  __device__ inline to __##fromName##2##toName##_rz(from x) {                                      \
    return relayout::host::detail::saturate<to, from>(__builtin_trunc(x), tooLow, tooHigh,         \
                                                      forNan);                                     \
  }                                                                                                \
  __device__ inline to __##fromName##2##toName##_ru(from x) {                                      \
    return relayout::host::detail::saturate<to, from>(__builtin_ceil(x), tooLow, tooHigh, forNan); \
  }                                                                                                \
  __device__ inline to __##fromName##2##toName##_rd(from x) {                                      \
    return relayout::host::detail::saturate<to, from>(__builtin_floor(x), tooLow, tooHigh,         \
                                                      forNan);                                     \
  }
#define RELAYOUT_TOP32 (-2147483647 - 1)
#define RELAYOUT_TOP64 (-9223372036854775807LL - 1)
RELAYOUT_TO_INTEGER(float, float, int, int, -0x1p31f, 0x1p31f, 0)
RELAYOUT_TO_INTEGER(float, float, unsigned int, uint, 0.0f, 0x1p32f, 0u)
RELAYOUT_TO_INTEGER(float, float, long long, ll, -0x1p63f, 0x1p63f, RELAYOUT_TOP64)
RELAYOUT_TO_INTEGER(float, float, unsigned long long, ull, 0.0f, 0x1p64f, 1ULL << 63)
RELAYOUT_TO_INTEGER(double, double, int, int, -0x1p31, 0x1p31, RELAYOUT_TOP32)
RELAYOUT_TO_INTEGER(double, double, unsigned int, uint, 0.0, 0x1p32, 1u << 31)
RELAYOUT_TO_INTEGER(double, double, long long, ll, -0x1p63, 0x1p63, RELAYOUT_TOP64)
RELAYOUT_TO_INTEGER(double, double, unsigned long long, ull, 0.0, 0x1p64, 1ULL << 63)
#undef RELAYOUT_TO_INTEGER
#undef RELAYOUT_TOP32
#undef RELAYOUT_TOP64

__device__ inline float __int2float_rn(int x) { return static_cast<float>(x); }
__device__ inline float __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
__device__ inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
__device__ inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
__device__ inline double __int2double_rn(int x) { return static_cast<double>(x); }
__device__ inline double __uint2double_rn(unsigned int x) { return static_cast<double>(x); }
__device__ inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
__device__ inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
__device__ inline float __double2float_rn(double x) { return static_cast<float>(x); }

namespace relayout::host::detail {

enum class Direction { Zero, Up, Down };
enum class Arithmetic { Add, Subtract, Multiply, Divide, SquareRoot, MultiplyAdd };

/// The result rounded in a direction; operands that the operation does not have are not looked at.
template <class T>
__host__ __device__ T directed(Arithmetic operation, Direction direction, T a, T b = 0, T c = 0);
/// A number's nearest in a direction.
template <class To, class From> __host__ __device__ To directedTo(Direction direction, From value);

#define RELAYOUT_IN_RUNTIME(To, From)                                                              \
  template <> __host__ __device__ To directedTo(Direction direction, From value);
template <>
__host__ __device__ float directed(Arithmetic operation, Direction direction, float a, float b,
                                   float c);
template <>
__host__ __device__ double directed(Arithmetic operation, Direction direction, double a, double b,
                                    double c);
RELAYOUT_IN_RUNTIME(float, double)
RELAYOUT_IN_RUNTIME(float, int)
RELAYOUT_IN_RUNTIME(float, unsigned int)
RELAYOUT_IN_RUNTIME(float, long long)
RELAYOUT_IN_RUNTIME(float, unsigned long long)
RELAYOUT_IN_RUNTIME(double, long long)
RELAYOUT_IN_RUNTIME(double, unsigned long long)
#undef RELAYOUT_IN_RUNTIME

} // namespace relayout::host::detail

#define RELAYOUT_DIRECTED(suffix, towards)                                                         \
  RELAYOUT_DIRECTED2(__fadd_##suffix, float, Add, towards)                                         \
  RELAYOUT_DIRECTED2(__fsub_##suffix, float, Subtract, towards)                                    \
  RELAYOUT_DIRECTED2(__fmul_##suffix, float, Multiply, towards)                                    \
  RELAYOUT_DIRECTED2(__fdiv_##suffix, float, Divide, towards)                                      \
  RELAYOUT_DIRECTED2(__dadd_##suffix, double, Add, towards)                                        \
  RELAYOUT_DIRECTED2(__dsub_##suffix, double, Subtract, towards)                                   \
  RELAYOUT_DIRECTED2(__dmul_##suffix, double, Multiply, towards)                                   \
  RELAYOUT_DIRECTED2(__ddiv_##suffix, double, Divide, towards)                                     \
  RELAYOUT_DIRECTED1(__fsqrt_##suffix, float, SquareRoot, a, a, towards)                           \
  RELAYOUT_DIRECTED1(__dsqrt_##suffix, double, SquareRoot, a, a, towards)                          \
  RELAYOUT_DIRECTED1(__frcp_##suffix, float, Divide, 1.0f, a, towards)                             \
  RELAYOUT_DIRECTED1(__drcp_##suffix, double, Divide, 1.0, a, towards)                             \
  RELAYOUT_DIRECTED3(__fmaf_##suffix, float, towards)                                              \
  RELAYOUT_DIRECTED3(__fmaf_ieee_##suffix, float, towards)                                         \
  RELAYOUT_DIRECTED3(__fma_##suffix, double, towards)                                              \
  RELAYOUT_DIRECTED_TO(__double2float_##suffix, float, double, towards)                            \
  RELAYOUT_DIRECTED_TO(__int2float_##suffix, float, int, towards)                                  \
  RELAYOUT_DIRECTED_TO(__uint2float_##suffix, float, unsigned int, towards)                        \
  RELAYOUT_DIRECTED_TO(__ll2float_##suffix, float, long long, towards)                             \
  RELAYOUT_DIRECTED_TO(__ull2float_##suffix, float, unsigned long long, towards)                   \
  RELAYOUT_DIRECTED_TO(__ll2double_##suffix, double, long long, towards)                           \
  RELAYOUT_DIRECTED_TO(__ull2double_##suffix, double, unsigned long long, towards)
#define RELAYOUT_DIRECTED1(name, type, operation, first, second, towards)                          \
  __device__ inline type name(type a) {                                                            \
    using namespace relayout::host::detail;                                                        \
    return directed<type>(Arithmetic::operation, Direction::towards, first, second);               \
  }
#define RELAYOUT_DIRECTED2(name, type, operation, towards)                                         \
  __device__ inline type name(type a, type b) {                                                    \
    using namespace relayout::host::detail;                                                        \
    return directed<type>(Arithmetic::operation, Direction::towards, a, b);                        \
  }
#define RELAYOUT_DIRECTED3(name, type, towards)                                                    \
  __device__ inline type name(type a, type b, type c) {                                            \
    using namespace relayout::host::detail;                                                        \
    return directed<type>(Arithmetic::MultiplyAdd, Direction::towards, a, b, c);                   \
  }
#define RELAYOUT_DIRECTED_TO(name, to, from, towards)                                              \
  __device__ inline to name(from value) {                                                          \
    using namespace relayout::host::detail;                                                        \
    return directedTo<to>(Direction::towards, value);                                              \
  }
RELAYOUT_DIRECTED(rz, Zero)
RELAYOUT_DIRECTED(ru, Up)
RELAYOUT_DIRECTED(rd, Down)
#undef RELAYOUT_DIRECTED
#undef RELAYOUT_DIRECTED1
#undef RELAYOUT_DIRECTED2
#undef RELAYOUT_DIRECTED3
#undef RELAYOUT_DIRECTED_TO
