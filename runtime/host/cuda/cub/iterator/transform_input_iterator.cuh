// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: iterators that make their values.
#pragma once

#include "../util_type.cuh"

#include <cstddef>
#include <iterator>

namespace cub {

namespace detail {

/// All that a random access iterator has, of a function of the offset.
template <class Self, class T> struct MadeValues {
  using value_type = T;
  using reference = T;
  using pointer = T *;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  __host__ __device__ T operator*() const { return self()[0]; }
  __host__ __device__ Self &operator++() { return self() += 1; }
  __host__ __device__ Self operator++(int) {
    Self old = self();
    self() += 1;
    return old;
  }
  __host__ __device__ Self &operator--() { return self() += -1; }
  __host__ __device__ Self &operator-=(difference_type by) { return self() += -by; }
  __host__ __device__ friend Self operator+(Self from, difference_type by) { return from += by; }
  __host__ __device__ friend Self operator-(Self from, difference_type by) { return from += -by; }
  __host__ __device__ friend bool operator==(const Self &a, const Self &b) { return a - b == 0; }
  __host__ __device__ friend bool operator!=(const Self &a, const Self &b) { return a - b != 0; }
  __host__ __device__ friend bool operator<(const Self &a, const Self &b) { return a - b < 0; }

private:
  __host__ __device__ const Self &self() const { return *static_cast<const Self *>(this); }
  __host__ __device__ Self &self() { return *static_cast<Self *>(this); }
};

} // namespace detail

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
