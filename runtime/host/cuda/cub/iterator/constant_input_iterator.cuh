// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: one value everywhere.
#pragma once

#include "made_values.cuh"

namespace cub {

template <class T, class Offset = std::ptrdiff_t>
class ConstantInputIterator : public detail::MadeValues<ConstantInputIterator<T, Offset>, T> {
public:
  __host__ __device__ explicit ConstantInputIterator(T value, Offset at = 0)
      : value_(value), at_(at) {}
  __host__ __device__ T operator[](std::ptrdiff_t) const { return value_; }
  __host__ __device__ ConstantInputIterator &operator+=(std::ptrdiff_t by) {
    at_ += by;
    return *this;
  }
  __host__ __device__ friend std::ptrdiff_t operator-(const ConstantInputIterator &a,
                                                      const ConstantInputIterator &b) {
    return a.at_ - b.at_;
  }

private:
  T value_;
  Offset at_;
};

} // namespace cub
