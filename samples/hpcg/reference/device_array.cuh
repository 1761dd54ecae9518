// SPDX-License-Identifier: Apache-2.0
// What all steps of the ladder share: checked calls, device memory, the shape of a launch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

const int kThreads = 128;

inline int blocksFor(int count) { return (count + kThreads - 1) / kThreads; }

// Device memory of one type, freed with its owner.
template <class T> class Array {
public:
  explicit Array(std::size_t count = 0) {
    CHECK(cudaMalloc(&pointer_, std::max<std::size_t>(count, 1) * sizeof(T)));
    CHECK(cudaMemset(pointer_, 0, std::max<std::size_t>(count, 1) * sizeof(T)));
  }
  explicit Array(const std::vector<T> &values) : Array(values.size()) {
    CHECK(cudaMemcpy(pointer_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  Array(Array &&other) noexcept : pointer_(other.pointer_) { other.pointer_ = nullptr; }
  Array &operator=(Array &&other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~Array() { cudaFree(pointer_); }
  [[nodiscard]] T *get() const { return pointer_; }

private:
  T *pointer_ = nullptr;
};
