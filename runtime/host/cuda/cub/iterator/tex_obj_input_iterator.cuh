// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: an array behind a texture, of which only the address is used.
#pragma once

#include "made_values.cuh"

namespace cub {

template <class T, class Offset = std::ptrdiff_t>
class TexObjInputIterator
    : public detail::MadeValues<TexObjInputIterator<T, Offset>, std::remove_cv_t<T>> {
public:
  __host__ __device__ TexObjInputIterator() : first_(nullptr), at_(0) {}
  template <class Other>
  cudaError_t BindTexture(Other *first, size_t /*bytes*/ = 0, size_t offset = 0) {
    first_ = first;
    at_ = static_cast<std::ptrdiff_t>(offset);
    return cudaSuccess;
  }
  cudaError_t UnbindTexture() { return cudaSuccess; }
  __host__ __device__ std::remove_cv_t<T> operator[](std::ptrdiff_t i) const {
    return first_[at_ + i];
  }
  __host__ __device__ TexObjInputIterator &operator+=(std::ptrdiff_t by) {
    at_ += by;
    return *this;
  }
  __host__ __device__ friend std::ptrdiff_t operator-(const TexObjInputIterator &a,
                                                      const TexObjInputIterator &b) {
    return a.at_ - b.at_;
  }

private:
  const T *first_;
  std::ptrdiff_t at_;
};

} // namespace cub
