// SPDX-License-Identifier: Apache-2.0
// Executor: what a cudaArray_t points to.
#pragma once

#include "cuda_runtime_api.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

struct cudaArray {
  cudaChannelFormatDesc format{};
  cudaExtent extent{}; ///< in elements; a height or depth of 0 means one; layers are planes
  std::size_t elementBytes = 0;
  unsigned int flags = cudaArrayDefault;
  std::vector<unsigned char> memory;

  [[nodiscard]] bool contains(const void *address) const {
    return reinterpret_cast<std::uintptr_t>(address) -
               reinterpret_cast<std::uintptr_t>(memory.data()) <
           memory.size();
  }
  [[nodiscard]] std::size_t pitch() const { return extent.width * elementBytes; }
  [[nodiscard]] std::size_t rows() const { return std::max<std::size_t>(extent.height, 1); }
  [[nodiscard]] std::size_t planes() const { return std::max<std::size_t>(extent.depth, 1); }
  [[nodiscard]] unsigned char *at(std::size_t x, std::size_t row) {
    return memory.data() + row * pitch() + x;
  }
  [[nodiscard]] const unsigned char *at(std::size_t x, std::size_t row) const {
    return memory.data() + row * pitch() + x;
  }
};
