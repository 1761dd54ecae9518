// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a function of what another iterator yields.
#pragma once

#include "made_values.cuh"

namespace cub {

template <class T, class Function, class In, class Offset = std::ptrdiff_t>
class TransformInputIterator
    : public detail::MadeValues<TransformInputIterator<T, Function, In, Offset>, T> {
public:
  __host__ __device__ TransformInputIterator(In in, Function function)
      : in_(in), function_(function) {}
  __host__ __device__ T operator[](std::ptrdiff_t i) const { return function_(in_[i]); }
  __host__ __device__ TransformInputIterator &operator+=(std::ptrdiff_t by) {
    in_ += by;
    return *this;
  }
  __host__ __device__ friend std::ptrdiff_t operator-(const TransformInputIterator &a,
                                                      const TransformInputIterator &b) {
    return a.in_ - b.in_;
  }

private:
  In in_;
  Function function_;
};

} // namespace cub
