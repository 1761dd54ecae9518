// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: the order of keys by some of their bits, and by what they are made of.
#pragma once

#include "../util_type.cuh"

namespace cub {

namespace detail {

/// Of keys whose bits from `firstBit` to before `lastBit` count, of numbers that sort by their
/// bits.
struct RadixOrder {
  int firstBit, lastBit;
  bool isDescending;

  template <class Key> __host__ __device__ bool operator()(const Key &a, const Key &b) const {
    return isDescending ? digits(b) < digits(a) : digits(a) < digits(b);
  }
  template <class Key>
  __host__ __device__ typename Traits<Key>::UnsignedBits digits(const Key &key) const {
    using Bits = typename Traits<Key>::UnsignedBits;
    constexpr int kBits = static_cast<int>(sizeof(Key) * 8);
    Bits bits;
    __builtin_memcpy(&bits, &key, sizeof(Key));
    // The zeros of floating point are equal.
    if (!isInteger<Key> && bits == Traits<Key>::kTop)
      bits = 0;
    bits = static_cast<Bits>(Traits<Key>::TwiddleIn(bits) >> firstBit);
    const int count = lastBit - firstBit;
    return count < kBits ? static_cast<Bits>(bits & ((static_cast<Bits>(1) << count) - 1)) : bits;
  }
};

/// Of keys that the decomposer takes apart into a tuple of references to numbers.
template <class Decomposer> struct DecomposedOrder {
  Decomposer decomposer;
  bool isDescending;

  template <class Key> __host__ __device__ bool operator()(const Key &a, const Key &b) const {
    Key &x = const_cast<Key &>(a), &y = const_cast<Key &>(b);
    return isDescending ? decomposer(y) < decomposer(x) : decomposer(x) < decomposer(y);
  }
};
template <class Decomposer>
using IfDecomposer = std::enable_if_t<
    !std::is_convertible<Decomposer, int>::value && !std::is_pointer<Decomposer>::value, int>;

} // namespace detail

} // namespace cub
