// SPDX-License-Identifier: Apache-2.0
// Test support: CUB's algorithms for whole arrays, called as programs call them.
#pragma once

#include "recorded_block.h"

#include <cub/cub.cuh>

#include <vector>

namespace relayout::host::test {

/// Asks for the temporary storage, then runs: the worse of both answers.
template <class Call> cudaError_t inTwoCalls(Call call) {
  std::size_t bytes = 0;
  if (const cudaError_t error = call(nullptr, bytes); error != cudaSuccess || bytes == 0)
    return error != cudaSuccess ? error : cudaErrorUnknown;
  const Device<char> storage(bytes);
  return call(static_cast<void *>(storage), bytes);
}

/// Device memory with these values; one more behind them, for arrays of none.
template <class T> class DeviceValues : public Device<T> {
public:
  explicit DeviceValues(const std::vector<T> &values) : Device<T>(values.size() + 1) {
    for (std::size_t i = 0; i < values.size(); ++i)
      (*this)[i] = values[i];
  }
  std::vector<T> first(std::size_t count) const {
    const T *const values = *this;
    return std::vector<T>(values, values + count);
  }
};

/// Numbers that repeat, in runs too.
inline std::vector<int> numbers(int count) {
  std::vector<int> result;
  for (int i = 0; i < count; ++i)
    result.push_back(i / 3 * 7919 % 101 - 40);
  return result;
}

inline constexpr int kSizes[] = {0, 1, 2, 3, 31, 257, 1000};

} // namespace relayout::host::test
