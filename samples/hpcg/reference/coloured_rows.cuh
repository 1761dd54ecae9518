// SPDX-License-Identifier: Apache-2.0
// ELLPACK: rows sorted by colour, by rows or transposed.
#pragma once

#include "../problem.h"
#include "device_array.cuh"

const int kWidth = 27;

// Entry k of row i lies at i * row + k * entry.
struct Ell {
  const double *values;
  const int *columns;
  const double *diagonals;
  const int *unknowns;
  std::size_t row, entry;
};

__global__ void multiplyRows(Ell ell, int count, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  double sum = 0.0;
  for (int k = 0; k < kWidth; ++k)
    sum += ell.values[i * ell.row + k * ell.entry] * x[ell.columns[i * ell.row + k * ell.entry]];
  y[ell.unknowns[i]] = sum;
}

__global__ void relaxRows(Ell ell, int first, int count, const double *r, double *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  i += first;
  int unknown = ell.unknowns[i];
  double sum = r[unknown] + ell.diagonals[i] * x[unknown];
  for (int k = 0; k < kWidth; ++k)
    sum -= ell.values[i * ell.row + k * ell.entry] * x[ell.columns[i * ell.row + k * ell.entry]];
  x[unknown] = sum / ell.diagonals[i];
}

// A matrix by rows sorted by colour.
template <bool kTransposed> class ColouredRows {
public:
  explicit ColouredRows(const Matrix &matrix) : count_(matrix.rows) {
    const ColouredOrder order = sortByColour(colourRows(matrix));
    first_ = order.first;
    const std::size_t rows = matrix.rows;
    row_ = kTransposed ? 1 : kWidth;
    entry_ = kTransposed ? rows : 1;
    std::vector<double> values(kWidth * rows, 0.0), diagonals(rows);
    std::vector<int> columns(kWidth * rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const int row = order.rows[i];
      for (int k = 0; k < kWidth; ++k)
        columns[i * row_ + k * entry_] = row;
      for (int k = 0; k < matrix.start[row + 1] - matrix.start[row]; ++k) {
        const int from = matrix.start[row] + k;
        columns[i * row_ + k * entry_] = matrix.column[from];
        values[i * row_ + k * entry_] = matrix.value[from];
        if (matrix.column[from] == row)
          diagonals[i] = matrix.value[from];
      }
    }
    values_ = Array<double>(values);
    columns_ = Array<int>(columns);
    diagonals_ = Array<double>(diagonals);
    unknowns_ = Array<int>(order.rows);
  }
  void multiply(const double *x, double *y) const {
    multiplyRows<<<blocksFor(count_), kThreads>>>(ell(), count_, x, y);
  }
  void smooth(const double *r, double *x) const {
    const int colours = (int)first_.size() - 1;
    for (int n = 0; n < 2 * colours - 1; ++n) {
      const int colour = n < colours ? n : 2 * colours - 2 - n;
      const int count = first_[colour + 1] - first_[colour];
      relaxRows<<<blocksFor(count), kThreads>>>(ell(), first_[colour], count, r, x);
    }
  }

private:
  [[nodiscard]] Ell ell() const {
    return {values_.get(), columns_.get(), diagonals_.get(), unknowns_.get(), row_, entry_};
  }
  int count_;
  std::size_t row_ = 0, entry_ = 0;
  std::vector<int> first_;
  Array<double> values_, diagonals_;
  Array<int> columns_, unknowns_;
};
