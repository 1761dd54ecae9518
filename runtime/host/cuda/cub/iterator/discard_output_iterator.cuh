// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: takes values and forgets them.
#pragma once

#include "made_values.cuh"

namespace cub {

template <class Offset = std::ptrdiff_t>
class DiscardOutputIterator : public detail::MadeValues<DiscardOutputIterator<Offset>, void,
                                                        DiscardOutputIterator<Offset>> {
public:
  using pointer = void;

  __host__ __device__ explicit DiscardOutputIterator(Offset at = 0) : at_(at) {}
  __host__ __device__ DiscardOutputIterator operator[](std::ptrdiff_t i) const { return *this + i; }
  template <class T> __host__ __device__ const DiscardOutputIterator &operator=(const T &) const {
    return *this;
  }
  __host__ __device__ DiscardOutputIterator &operator+=(std::ptrdiff_t by) {
    at_ = static_cast<Offset>(at_ + by);
    return *this;
  }
  __host__ __device__ friend std::ptrdiff_t operator-(const DiscardOutputIterator &a,
                                                      const DiscardOutputIterator &b) {
    return static_cast<std::ptrdiff_t>(a.at_ - b.at_);
  }

private:
  Offset at_;
};

} // namespace cub
