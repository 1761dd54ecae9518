// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a pointer, whose cache hint has no effect.
#pragma once

#include "../thread/thread_store.cuh"
#include "made_values.cuh"

namespace cub {

template <CacheStoreModifier kModifier, class T, class Offset = std::ptrdiff_t>
class CacheModifiedOutputIterator
    : public detail::MadeValues<CacheModifiedOutputIterator<kModifier, T, Offset>, T, T &> {
public:
  __host__ __device__ explicit CacheModifiedOutputIterator(T *first) : pointer_(first) {}
  __host__ __device__ T &operator[](std::ptrdiff_t i) const { return pointer_[i]; }
  __host__ __device__ CacheModifiedOutputIterator &operator+=(std::ptrdiff_t by) {
    pointer_ += by;
    return *this;
  }
  __host__ __device__ friend std::ptrdiff_t operator-(const CacheModifiedOutputIterator &a,
                                                      const CacheModifiedOutputIterator &b) {
    return a.pointer_ - b.pointer_;
  }

private:
  T *pointer_;
};

} // namespace cub
