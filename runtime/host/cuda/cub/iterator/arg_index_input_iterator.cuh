// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: pairs of place and value.
#pragma once

#include "made_values.cuh"

namespace cub {

template <class In, class Offset = std::ptrdiff_t,
          class Value = typename std::iterator_traits<In>::value_type>
class ArgIndexInputIterator : public detail::MadeValues<ArgIndexInputIterator<In, Offset, Value>,
                                                        KeyValuePair<Offset, Value>> {
public:
  __host__ __device__ explicit ArgIndexInputIterator(In in, std::ptrdiff_t at = 0)
      : in_(in), at_(at) {}
  __host__ __device__ KeyValuePair<Offset, Value> operator[](std::ptrdiff_t i) const {
    return {static_cast<Offset>(at_ + i), static_cast<Value>(in_[at_ + i])};
  }
  __host__ __device__ ArgIndexInputIterator &operator+=(std::ptrdiff_t by) {
    at_ += by;
    return *this;
  }
  __host__ __device__ friend std::ptrdiff_t operator-(const ArgIndexInputIterator &a,
                                                      const ArgIndexInputIterator &b) {
    return a.at_ - b.at_;
  }
  /// Counts from here.
  __host__ __device__ void normalize() {
    in_ += at_;
    at_ = 0;
  }

private:
  In in_;
  std::ptrdiff_t at_;
};

} // namespace cub
