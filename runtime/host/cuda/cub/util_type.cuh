// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: types that several of its parts share.
#pragma once

#include "cuda_runtime.h"

#include <limits>
#include <type_traits>

namespace cub {

struct NullType {};

template <class Key, class Value> struct KeyValuePair {
  Key key;
  Value value;

  KeyValuePair() = default;
  __host__ __device__ KeyValuePair(const Key &k, const Value &v) : key(k), value(v) {}
};

/// Two buffers, one of which holds the data.
template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector = 0;

  __host__ __device__ DoubleBuffer() : d_buffers{nullptr, nullptr} {}
  __host__ __device__ DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate} {}
  __host__ __device__ T *Current() { return d_buffers[selector]; }
  __host__ __device__ T *Alternate() { return d_buffers[selector ^ 1]; }
};

/// Numbers as bits that sort as the numbers do.
template <class T> struct Traits {
  using UnsignedBits = std::conditional_t<
      sizeof(T) == 1, unsigned char,
      std::conditional_t<sizeof(T) == 2, unsigned short,
                         std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>>>;
  static constexpr UnsignedBits kTop = static_cast<UnsignedBits>(1) << (8 * sizeof(T) - 1);

  __host__ __device__ static UnsignedBits TwiddleIn(UnsignedBits bits) {
    if (std::is_unsigned<T>::value)
      return bits;
    if (std::is_integral<T>::value)
      return bits ^ kTop;
    return bits ^ ((bits & kTop) != 0 ? static_cast<UnsignedBits>(-1) : kTop);
  }
  __host__ __device__ static UnsignedBits TwiddleOut(UnsignedBits bits) {
    if (std::is_unsigned<T>::value)
      return bits;
    if (std::is_integral<T>::value)
      return bits ^ kTop;
    return bits ^ ((bits & kTop) != 0 ? kTop : static_cast<UnsignedBits>(-1));
  }
  __host__ __device__ static T Max() { return std::numeric_limits<T>::max(); }
  __host__ __device__ static T Lowest() { return std::numeric_limits<T>::lowest(); }
};

} // namespace cub
