// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: products of a sparse matrix and a vector, of versions 1 and 2.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

struct DeviceSpmv {
  /// y = A x, of a matrix of compressed rows.
  template <class T>
  static cudaError_t CsrMV(void *storage, size_t &bytes, const T *values, const int *rowOffsets,
                           const int *columns, const T *x, T *y, int rows, int /*columnCount*/,
                           int /*entries*/, cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      for (int row = 0; row < rows; ++row) {
        T sum = T(0);
        for (int i = rowOffsets[row]; i < rowOffsets[row + 1]; ++i)
          sum += values[i] * x[columns[i]];
        y[row] = sum;
      }
    });
  }
};

} // namespace cub
