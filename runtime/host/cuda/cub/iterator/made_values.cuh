// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what its iterators have in common.
#pragma once

#include "../util_type.cuh"

namespace cub {

namespace detail {

/// All that a random access iterator has, of a function of the offset.
template <class Self, class T, class Reference = T> struct MadeValues {
  using value_type = T;
  using reference = Reference;
  using pointer = T *;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  __host__ __device__ Reference operator*() const { return self()[0]; }
  __host__ __device__ Self &operator++() { return self() += 1; }
  __host__ __device__ Self operator++(int) {
    Self old = self();
    self() += 1;
    return old;
  }
  __host__ __device__ Self &operator--() { return self() += -1; }
  __host__ __device__ Self operator--(int) {
    Self old = self();
    self() += -1;
    return old;
  }
  __host__ __device__ Self &operator-=(difference_type by) { return self() += -by; }
  __host__ __device__ friend Self operator+(Self from, difference_type by) { return from += by; }
  __host__ __device__ friend Self operator+(difference_type by, Self from) { return from += by; }
  __host__ __device__ friend Self operator-(Self from, difference_type by) { return from += -by; }
  __host__ __device__ friend bool operator==(const Self &a, const Self &b) { return a - b == 0; }
  __host__ __device__ friend bool operator!=(const Self &a, const Self &b) { return a - b != 0; }
  __host__ __device__ friend bool operator<(const Self &a, const Self &b) { return a - b < 0; }
  __host__ __device__ friend bool operator>(const Self &a, const Self &b) { return a - b > 0; }
  __host__ __device__ friend bool operator<=(const Self &a, const Self &b) { return a - b <= 0; }
  __host__ __device__ friend bool operator>=(const Self &a, const Self &b) { return a - b >= 0; }

private:
  __host__ __device__ const Self &self() const { return *static_cast<const Self *>(this); }
  __host__ __device__ Self &self() { return *static_cast<Self *>(this); }
};

} // namespace detail

} // namespace cub
