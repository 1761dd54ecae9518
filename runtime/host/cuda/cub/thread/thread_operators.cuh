// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: operators, and what storage and ranks of threads need.
#pragma once

#include "../util_type.cuh"

namespace cub {

// Of two types, as flags and their number.
struct Sum {
  template <class T, class U> __host__ __device__ auto operator()(const T &a, const U &b) const {
    return a + b;
  }
};
struct Max {
  template <class T, class U>
  __host__ __device__ std::common_type_t<T, U> operator()(const T &a, const U &b) const {
    using Common = std::common_type_t<T, U>;
    return a < b ? static_cast<Common>(b) : static_cast<Common>(a);
  }
};
struct Min {
  template <class T, class U>
  __host__ __device__ std::common_type_t<T, U> operator()(const T &a, const U &b) const {
    using Common = std::common_type_t<T, U>;
    return b < a ? static_cast<Common>(b) : static_cast<Common>(a);
  }
};
struct Equality {
  template <class T, class U> __host__ __device__ bool operator()(const T &a, const U &b) const {
    return a == b;
  }
};
struct Inequality {
  template <class T, class U> __host__ __device__ bool operator()(const T &a, const U &b) const {
    return a != b;
  }
};
struct Difference {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return a - b;
  }
};
/// Of equal values the one with the smaller key.
struct ArgMax {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

namespace detail {
__device__ inline int threadRank() {
  return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
/// The group of so many lanes that this one is of, as a mask.
template <int kLanes> __device__ inline unsigned int lanesAround() {
  const int first = threadRank() % 32 / kLanes * kLanes;
  return kLanes == 32 ? ~0u : ((1u << (kLanes % 32)) - 1) << first;
}
/// Bytes for values of a type whose constructor must not run.
template <class T, int kCount> struct Storage {
  alignas(T) unsigned char bytes[kCount * sizeof(T)];
  __device__ T *values() { return reinterpret_cast<T *>(bytes); }
};
} // namespace detail

} // namespace cub
