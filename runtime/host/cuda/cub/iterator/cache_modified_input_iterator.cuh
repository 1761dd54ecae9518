// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a pointer, whose cache hint has no effect.
#pragma once

#include "../thread/thread_load.cuh"
#include "made_values.cuh"

namespace cub {

template <CacheLoadModifier kModifier, class T, class Offset = std::ptrdiff_t>
class CacheModifiedInputIterator
    : public detail::MadeValues<CacheModifiedInputIterator<kModifier, T, Offset>, T> {
public:
  T *ptr;

  template <class Other>
  __host__ __device__ explicit CacheModifiedInputIterator(Other *first)
      : ptr(const_cast<std::remove_cv_t<T> *>(first)) {}
  __host__ __device__ T operator[](std::ptrdiff_t i) const { return ptr[i]; }
  __host__ __device__ CacheModifiedInputIterator &operator+=(std::ptrdiff_t by) {
    ptr += by;
    return *this;
  }
  __host__ __device__ friend std::ptrdiff_t operator-(const CacheModifiedInputIterator &a,
                                                      const CacheModifiedInputIterator &b) {
    return a.ptr - b.ptr;
  }
};

} // namespace cub
