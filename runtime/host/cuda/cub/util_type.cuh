// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: types that several of its parts share.
#pragma once

#include "config.cuh"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

namespace cub {

struct NullType {
  template <class T> __host__ __device__ NullType &operator=(const T &) { return *this; }
  __host__ __device__ bool operator==(const NullType &) const { return true; }
  __host__ __device__ bool operator!=(const NullType &) const { return false; }
};

// Of CUB 1, before the standard library's were used.
template <bool condition, class Then, class Else> struct If {
  using Type = std::conditional_t<condition, Then, Else>;
};
template <class A, class B> struct Equals {
  static constexpr int VALUE = std::is_same<A, B>::value;
  static constexpr int NEGATE = !VALUE;
};
template <int value> struct Int2Type { static constexpr int VALUE = value; };

/// The logarithm to base two, rounded up.
template <int N, int Rest = N, int Count = 0> struct Log2 {
  static constexpr int VALUE = Log2<N, (Rest >> 1), Count + 1>::VALUE;
};
template <int N, int Count> struct Log2<N, 0, Count> {
  static constexpr int VALUE = (1 << (Count - 1) < N) ? Count : Count - 1;
};
template <int N> struct PowerOfTwo { static constexpr bool VALUE = (N & (N - 1)) == 0; };

template <class KeyT, class ValueT> struct KeyValuePair {
  using Key = KeyT;
  using Value = ValueT;
  Key key;
  Value value;

  KeyValuePair() = default;
  __host__ __device__ KeyValuePair(const Key &k, const Value &v) : key(k), value(v) {}
  __host__ __device__ bool operator==(const KeyValuePair &other) const {
    return key == other.key && value == other.value;
  }
  __host__ __device__ bool operator!=(const KeyValuePair &other) const { return !(*this == other); }
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

/// A value that is read when the algorithm runs.
template <class T, class In = T *> struct FutureValue {
  using value_type = T;
  __host__ __device__ explicit FutureValue(In in) : in_(in) {}
  __host__ __device__ operator T() const { return *in_; }

private:
  In in_;
};

/// Storage of a type whose constructor must not run.
template <class T> struct Uninitialized {
  alignas(T) unsigned char bytes[sizeof(T)];
  __host__ __device__ T &Alias() { return reinterpret_cast<T &>(*this); }
};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

namespace detail {

template <class T>
inline constexpr bool isInteger = std::is_integral<T>::value || std::is_same<T, __int128>::value ||
                                  std::is_same<T, unsigned __int128>::value;
// Of types that are no integers but numbers, as halves are.
template <class T> inline constexpr bool hasSign = T(-1) < T(0);

template <std::size_t bytes>
using BitsOfSize = std::conditional_t<
    bytes == 1, unsigned char,
    std::conditional_t<
        bytes == 2, unsigned short,
        std::conditional_t<bytes == 4, unsigned int,
                           std::conditional_t<bytes == 8, unsigned long long, unsigned __int128>>>>;

} // namespace detail

/// Numbers as bits that sort as the numbers do.
template <class T> struct Traits {
  using UnsignedBits = detail::BitsOfSize<sizeof(T)>;
  static constexpr UnsignedBits kTop = static_cast<UnsignedBits>(1) << (8 * sizeof(T) - 1);
  static constexpr bool PRIMITIVE = std::is_arithmetic<T>::value;
  static constexpr bool NULL_TYPE = std::is_same<T, NullType>::value;
  static constexpr Category CATEGORY =
      !PRIMITIVE ? NOT_A_NUMBER
                 : (std::is_floating_point<T>::value
                        ? FLOATING_POINT
                        : (std::is_unsigned<T>::value ? UNSIGNED_INTEGER : SIGNED_INTEGER));

  __host__ __device__ static UnsignedBits TwiddleIn(UnsignedBits bits) {
    if constexpr (detail::isInteger<T>)
      return detail::hasSign<T> ? static_cast<UnsignedBits>(bits ^ kTop) : bits;
    else
      return bits ^ ((bits & kTop) != 0 ? static_cast<UnsignedBits>(-1) : kTop);
  }
  __host__ __device__ static UnsignedBits TwiddleOut(UnsignedBits bits) {
    if constexpr (detail::isInteger<T>)
      return TwiddleIn(bits);
    else
      return bits ^ ((bits & kTop) != 0 ? kTop : static_cast<UnsignedBits>(-1));
  }
  // Of types without limits, as halves, the infinities.
  __host__ __device__ static T Max() { return limit(false); }
  __host__ __device__ static T Lowest() { return limit(true); }

private:
  __host__ __device__ static T limit(bool isLowest) {
    if constexpr (std::numeric_limits<T>::is_specialized) {
      return isLowest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    } else {
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      return isLowest ? T(-kInfinity) : T(kInfinity);
    }
  }
};
template <class T> struct NumericTraits : Traits<T> {};

/// A vector type of so many elements.
template <class T, int kElements> struct CubVector {
  T values[kElements];
  using BaseType = T;
  using Type = CubVector;
};
#define RELAYOUT_VECTORS(base, name)                                                               \
  template <> struct CubVector<base, 1> : name##1 {                                                \
    using BaseType = name##1;                                                                      \
    using Type = name##1;                                                                          \
  };                                                                                               \
  template <> struct CubVector<base, 2> : name##2 {                                                \
    using BaseType = name##2;                                                                      \
    using Type = name##2;                                                                          \
  };                                                                                               \
  template <> struct CubVector<base, 3> : name##3 {                                                \
    using BaseType = name##3;                                                                      \
    using Type = name##3;                                                                          \
  };                                                                                               \
  template <> struct CubVector<base, 4> : name##4 {                                                \
    using BaseType = name##4;                                                                      \
    using Type = name##4;                                                                          \
  };
RELAYOUT_VECTORS(char, char)
RELAYOUT_VECTORS(unsigned char, uchar)
RELAYOUT_VECTORS(short, short)
RELAYOUT_VECTORS(unsigned short, ushort)
RELAYOUT_VECTORS(int, int)
RELAYOUT_VECTORS(unsigned int, uint)
RELAYOUT_VECTORS(float, float)
RELAYOUT_VECTORS(double, double)
#undef RELAYOUT_VECTORS

} // namespace cub
