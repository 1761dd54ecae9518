// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: 8-bit floating point, its pairs and quadruples, with exact
// conversions.
#pragma once
#define __CUDA_FP8_H__

#include "relayout/host/macros_aside.h"

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#include "relayout/half/fp8_format.h"

#define RELAYOUT_HD __host__ __device__ inline

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;
#define __CUDA_FP8_TYPES_EXIST__

namespace relayout::half {

__host__ __device__ inline double numberOf(float value) { return value; }
__host__ __device__ inline double numberOf(double value) { return value; }
__host__ __device__ inline double numberOf(__half_raw value) { return __half(value).number(); }
__host__ __device__ inline double numberOf(__nv_bfloat16_raw value) {
  return __nv_bfloat16(value).number();
}

__host__ __device__ inline double fp8Number(__nv_fp8_storage_t bits,
                                            __nv_fp8_interpretation_t format) {
  return format == __NV_E4M3 ? Fp8Format<4>::decode(bits) : Fp8Format<5>::decode(bits);
}
__host__ __device__ inline __half_raw fp8Half(__nv_fp8_storage_t bits,
                                              __nv_fp8_interpretation_t format) {
  return __half::of(fp8Number(bits, format));
}

/// Zero for what is 2^-127 or less.
__host__ __device__ inline __nv_fp8_storage_t e8m0(double value, __nv_saturation_t saturation,
                                                   cudaRoundMode rounding) {
  const unsigned char overflow = saturation == __NV_SATFINITE ? 0xfe : 0xff;
  const double size = __builtin_fabs(value);
  if (value != value || size == __builtin_inf())
    return value != value ? 0xff : overflow;
  int exponent = 0;
  const double fraction = __builtin_frexp(size, &exponent);
  const int power = exponent - 1 + (rounding == cudaRoundPosInf && fraction > 0.5 ? 1 : 0);
  if (size == 0 || power <= -127)
    return 0;
  return power > 127 ? overflow : static_cast<unsigned char>(power + 127);
}

} // namespace relayout::half

// One value, and a pair whose first is in the low bits.
#define RELAYOUT_TO_FP8(name, type, pairName, pairType)                                            \
  RELAYOUT_HD __nv_fp8_storage_t __nv_cvt_##name##_to_fp8(                                         \
      const type x, const __nv_saturation_t saturation, const __nv_fp8_interpretation_t format) {  \
    const double number = relayout::half::numberOf(x);                                             \
    return format == __NV_E4M3                                                                     \
               ? relayout::half::Fp8Format<4>::encode(number, saturation == __NV_SATFINITE)        \
               : relayout::half::Fp8Format<5>::encode(number, saturation == __NV_SATFINITE);       \
  }                                                                                                \
  RELAYOUT_HD __nv_fp8x2_storage_t __nv_cvt_##pairName##_to_fp8x2(                                 \
      const pairType pair, const __nv_saturation_t saturation,                                     \
      const __nv_fp8_interpretation_t format) {                                                    \
    return static_cast<__nv_fp8x2_storage_t>(                                                      \
        __nv_cvt_##name##_to_fp8(type{pair.x}, saturation, format) |                               \
        __nv_cvt_##name##_to_fp8(type{pair.y}, saturation, format) << 8);                          \
  }
RELAYOUT_TO_FP8(double, double, double2, double2)
RELAYOUT_TO_FP8(float, float, float2, float2)
RELAYOUT_TO_FP8(halfraw, __half_raw, halfraw2, __half2_raw)
RELAYOUT_TO_FP8(bfloat16raw, __nv_bfloat16_raw, bfloat16raw2, __nv_bfloat162_raw)
#undef RELAYOUT_TO_FP8

RELAYOUT_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                               const __nv_fp8_interpretation_t format) {
  return relayout::half::fp8Half(x, format);
}
RELAYOUT_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                   const __nv_fp8_interpretation_t format) {
  return {relayout::half::fp8Half(static_cast<unsigned char>(x), format).x,
          relayout::half::fp8Half(static_cast<unsigned char>(x >> 8), format).x};
}

RELAYOUT_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(const float x,
                                                      const __nv_saturation_t saturation,
                                                      const cudaRoundMode rounding) {
  return relayout::half::e8m0(x, saturation, rounding);
}
RELAYOUT_HD __nv_fp8_storage_t __nv_cvt_double_to_e8m0(const double x,
                                                       const __nv_saturation_t saturation,
                                                       const cudaRoundMode rounding) {
  return relayout::half::e8m0(x, saturation, rounding);
}
RELAYOUT_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(const __nv_bfloat16_raw x,
                                                            const __nv_saturation_t saturation,
                                                            const cudaRoundMode rounding) {
  return relayout::half::e8m0(relayout::half::numberOf(x), saturation, rounding);
}
RELAYOUT_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x) {
  return __nv_bfloat16::of(x == 0xff ? __builtin_nan("") : __builtin_ldexp(1.0, x - 127));
}

#define RELAYOUT_FP8_OF_INTEGER(name, type)                                                        \
  explicit __host__ __device__ name(type value) : name(static_cast<float>(value)) {}
#define RELAYOUT_FP8_AS_INTEGER(type)                                                              \
  explicit __host__ __device__ operator type() const {                                             \
    return relayout::half::clamped<type>(number());                                                \
  }
#define RELAYOUT_FP8_TYPE(name, bits, format)                                                      \
  struct __align__(1) __nv_fp8_##name {                                                            \
    __nv_fp8_storage_t __x;                                                                        \
    __nv_fp8_##name() = default;                                                                   \
    explicit __host__ __device__ __nv_fp8_##name(__half value)                                     \
        : __x(__nv_cvt_halfraw_to_fp8(value, __NV_SATFINITE, format)) {}                           \
    explicit __host__ __device__ __nv_fp8_##name(__nv_bfloat16 value)                              \
        : __x(__nv_cvt_bfloat16raw_to_fp8(value, __NV_SATFINITE, format)) {}                       \
    explicit __host__ __device__ __nv_fp8_##name(float value)                                      \
        : __x(__nv_cvt_float_to_fp8(value, __NV_SATFINITE, format)) {}                             \
    explicit __host__ __device__ __nv_fp8_##name(double value)                                     \
        : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, format)) {}                            \
    RELAYOUT_FP8_OF_INTEGER(__nv_fp8_##name, short)                                                \
    RELAYOUT_FP8_OF_INTEGER(__nv_fp8_##name, unsigned short)                                       \
    RELAYOUT_FP8_OF_INTEGER(__nv_fp8_##name, int)                                                  \
    RELAYOUT_FP8_OF_INTEGER(__nv_fp8_##name, unsigned int)                                         \
    RELAYOUT_FP8_OF_INTEGER(__nv_fp8_##name, long)                                                 \
    RELAYOUT_FP8_OF_INTEGER(__nv_fp8_##name, unsigned long)                                        \
    RELAYOUT_FP8_OF_INTEGER(__nv_fp8_##name, long long)                                            \
    RELAYOUT_FP8_OF_INTEGER(__nv_fp8_##name, unsigned long long)                                   \
    __host__ __device__ double number() const {                                                    \
      return relayout::half::Fp8Format<bits>::decode(__x);                                         \
    }                                                                                              \
    explicit __host__ __device__ operator __half() const {                                         \
      return relayout::half::fp8Half(__x, format);                                                 \
    }                                                                                              \
    explicit __host__ __device__ operator __nv_bfloat16() const {                                  \
      return __nv_bfloat16::of(number());                                                          \
    }                                                                                              \
    explicit __host__ __device__ operator float() const { return static_cast<float>(number()); }   \
    explicit __host__ __device__ operator double() const { return number(); }                      \
    explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }               \
    RELAYOUT_FP8_AS_INTEGER(char)                                                                  \
    RELAYOUT_FP8_AS_INTEGER(signed char)                                                           \
    RELAYOUT_FP8_AS_INTEGER(unsigned char)                                                         \
    RELAYOUT_FP8_AS_INTEGER(short)                                                                 \
    RELAYOUT_FP8_AS_INTEGER(unsigned short)                                                        \
    RELAYOUT_FP8_AS_INTEGER(int)                                                                   \
    RELAYOUT_FP8_AS_INTEGER(unsigned int)                                                          \
    RELAYOUT_FP8_AS_INTEGER(long)                                                                  \
    RELAYOUT_FP8_AS_INTEGER(unsigned long)                                                         \
    RELAYOUT_FP8_AS_INTEGER(long long)                                                             \
    RELAYOUT_FP8_AS_INTEGER(unsigned long long)                                                    \
  };                                                                                               \
  struct __align__(2) __nv_fp8x2_##name {                                                          \
    __nv_fp8x2_storage_t __x;                                                                      \
    __nv_fp8x2_##name() = default;                                                                 \
    explicit __host__ __device__ __nv_fp8x2_##name(__half2 pair)                                   \
        : __x(of(__nv_fp8_##name(pair.x), __nv_fp8_##name(pair.y))) {}                             \
    explicit __host__ __device__ __nv_fp8x2_##name(__nv_bfloat162 pair)                            \
        : __x(of(__nv_fp8_##name(pair.x), __nv_fp8_##name(pair.y))) {}                             \
    explicit __host__ __device__ __nv_fp8x2_##name(float2 pair)                                    \
        : __x(of(__nv_fp8_##name(pair.x), __nv_fp8_##name(pair.y))) {}                             \
    explicit __host__ __device__ __nv_fp8x2_##name(double2 pair)                                   \
        : __x(of(__nv_fp8_##name(pair.x), __nv_fp8_##name(pair.y))) {}                             \
    explicit __host__ __device__ operator __half2() const {                                        \
      return __nv_cvt_fp8x2_to_halfraw2(__x, format);                                              \
    }                                                                                              \
    explicit __host__ __device__ operator float2() const {                                         \
      const __half2 pair(*this);                                                                   \
      return float2{pair.x, pair.y};                                                               \
    }                                                                                              \
                                                                                                   \
  private:                                                                                         \
    __host__ __device__ static __nv_fp8x2_storage_t of(__nv_fp8_##name a, __nv_fp8_##name b) {     \
      return static_cast<__nv_fp8x2_storage_t>(a.__x | b.__x << 8);                                \
    }                                                                                              \
  };                                                                                               \
  struct __align__(4) __nv_fp8x4_##name {                                                          \
    __nv_fp8x4_storage_t __x;                                                                      \
    __nv_fp8x4_##name() = default;                                                                 \
    template <class Pair>                                                                          \
    explicit __host__ __device__ __nv_fp8x4_##name(Pair low, Pair high)                            \
        : __x(__nv_fp8x2_##name(low).__x | static_cast<unsigned int>(__nv_fp8x2_##name(high).__x)  \
                                               << 16) {}                                           \
    explicit __host__ __device__ __nv_fp8x4_##name(float4 v)                                       \
        : __nv_fp8x4_##name(float2{v.x, v.y}, float2{v.z, v.w}) {}                                 \
    explicit __host__ __device__ __nv_fp8x4_##name(double4 v)                                      \
        : __nv_fp8x4_##name(double2{v.x, v.y}, double2{v.z, v.w}) {}                               \
    explicit __host__ __device__ __nv_fp8x4_##name(double4_16a v)                                  \
        : __nv_fp8x4_##name(double2{v.x, v.y}, double2{v.z, v.w}) {}                               \
    explicit __host__ __device__ __nv_fp8x4_##name(double4_32a v)                                  \
        : __nv_fp8x4_##name(double2{v.x, v.y}, double2{v.z, v.w}) {}                               \
    explicit __host__ __device__ operator float4() const {                                         \
      return float4{part(0), part(8), part(16), part(24)};                                         \
    }                                                                                              \
                                                                                                   \
  private:                                                                                         \
    __host__ __device__ float part(int shift) const {                                              \
      return static_cast<float>(                                                                   \
          relayout::half::Fp8Format<bits>::decode(static_cast<unsigned char>(__x >> shift)));      \
    }                                                                                              \
  };
RELAYOUT_FP8_TYPE(e4m3, 4, __NV_E4M3)
RELAYOUT_FP8_TYPE(e5m2, 5, __NV_E5M2)
#undef RELAYOUT_FP8_TYPE
#undef RELAYOUT_FP8_OF_INTEGER
#undef RELAYOUT_FP8_AS_INTEGER

/// A power of two, as scales of blocks are.
struct __align__(1) __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  explicit __host__ __device__ __nv_fp8_e8m0(float value)
      : __x(__nv_cvt_float_to_e8m0(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8_e8m0(__nv_bfloat16 value)
      : __x(__nv_cvt_bfloat16raw_to_e8m0(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ operator __nv_bfloat16() const {
    return __nv_cvt_e8m0_to_bf16raw(__x);
  }
  explicit __host__ __device__ operator float() const { return __nv_bfloat16(*this); }
};

#undef RELAYOUT_HD

#include "relayout/host/macros_back.h"
