// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: one number after another.
#pragma once

#include "made_values.cuh"

namespace cub {

template <class T, class Offset = std::ptrdiff_t>
class CountingInputIterator : public detail::MadeValues<CountingInputIterator<T, Offset>, T> {
public:
  __host__ __device__ explicit CountingInputIterator(T first) : first_(first) {}
  __host__ __device__ T operator[](std::ptrdiff_t i) const { return static_cast<T>(first_ + i); }
  __host__ __device__ CountingInputIterator &operator+=(std::ptrdiff_t by) {
    first_ = static_cast<T>(first_ + by);
    return *this;
  }
  __host__ __device__ friend std::ptrdiff_t operator-(const CountingInputIterator &a,
                                                      const CountingInputIterator &b) {
    return static_cast<std::ptrdiff_t>(a.first_) - static_cast<std::ptrdiff_t>(b.first_);
  }

private:
  T first_;
};

} // namespace cub
