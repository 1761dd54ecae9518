// SPDX-License-Identifier: Apache-2.0
// The linear system of HPCG as a general sparse matrix, orders of its rows, and the multigrid
// preconditioned conjugate gradients in serial form.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

// Rows in compressed form; the diagonal is among the entries.
struct Matrix {
  int rows = 0;
  std::vector<int> start = {0};
  std::vector<int> column;
  std::vector<double> value;
};

// 26 on the diagonal and -1 for each of up to 26 neighbours on a grid of x by y by z points.
inline Matrix makeMatrix(int nx, int ny, int nz) {
  Matrix matrix;
  matrix.rows = nx * ny * nz;
  // Along each axis the two outermost points lack one of three neighbours.
  const std::size_t entries = (std::size_t)(3 * nx - 2) * (3 * ny - 2) * (3 * nz - 2);
  matrix.column.reserve(entries);
  matrix.value.reserve(entries);
  matrix.start.reserve(matrix.rows + 1);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        for (int z2 = std::max(z - 1, 0); z2 <= std::min(z + 1, nz - 1); ++z2)
          for (int y2 = std::max(y - 1, 0); y2 <= std::min(y + 1, ny - 1); ++y2)
            for (int x2 = std::max(x - 1, 0); x2 <= std::min(x + 1, nx - 1); ++x2) {
              const bool diagonal = x2 == x && y2 == y && z2 == z;
              matrix.column.push_back((z2 * ny + y2) * nx + x2);
              matrix.value.push_back(diagonal ? 26.0 : -1.0);
            }
        matrix.start.push_back((int)matrix.column.size());
      }
  return matrix;
}

// For each point of the grid with half the points along each axis, the same point of the fine one.
inline std::vector<int> makeInjection(int nx, int ny, int nz) {
  std::vector<int> fine;
  for (int z = 0; z < nz; z += 2)
    for (int y = 0; y < ny; y += 2)
      for (int x = 0; x < nx; x += 2)
        fine.push_back((z * ny + y) * nx + x);
  return fine;
}

// The right-hand side to the solution of all ones.
inline std::vector<double> makeRightSide(const Matrix &matrix) {
  std::vector<double> b(matrix.rows, 0.0);
  for (int row = 0; row < matrix.rows; ++row)
    for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k)
      b[row] += matrix.value[k];
  return b;
}

// Gives every row the lowest colour that none of its neighbours has. Knows nothing of the grid.
inline std::vector<int> colourRows(const Matrix &matrix) {
  std::vector<int> colours(matrix.rows, -1);
  std::vector<int> takenBy; // takenBy[c]: the last row that found colour c at a neighbour
  for (int row = 0; row < matrix.rows; ++row) {
    for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k) {
      const int colour = colours[matrix.column[k]];
      if (colour >= 0)
        takenBy[colour] = row;
    }
    int colour = 0;
    while (colour < (int)takenBy.size() && takenBy[colour] == row)
      ++colour;
    if (colour == (int)takenBy.size())
      takenBy.push_back(-1);
    colours[row] = colour;
  }
  return colours;
}

// The rows sorted by colour, and where each colour begins.
struct ColouredOrder {
  std::vector<int> rows;
  std::vector<int> first;
};

// The last colour first: the points that a coarser grid shares are of the first colour, and if they
// were relaxed first, what that grid has corrected there would be lost unread.
inline ColouredOrder sortByColour(const std::vector<int> &colours) {
  ColouredOrder order;
  order.rows.resize(colours.size());
  std::iota(order.rows.begin(), order.rows.end(), 0);
  std::stable_sort(order.rows.begin(), order.rows.end(),
                   [&](int a, int b) { return colours[a] > colours[b]; });
  const int count = 1 + *std::max_element(colours.begin(), colours.end());
  for (int colour = count; colour >= 0; --colour)
    order.first.push_back(
        (int)(std::partition_point(order.rows.begin(), order.rows.end(),
                                   [&](int row) { return colours[row] >= colour; }) -
              order.rows.begin()));
  return order;
}

// Operations as HPCG counts them, for one iteration over levels of so many rows and entries.
inline double operationsPerIteration(const std::vector<const Matrix *> &levels) {
  double operations = 2.0 * levels[0]->column.size() + 12.0 * levels[0]->rows;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const double entries = (double)levels[n]->column.size();
    operations +=
        n + 1 < levels.size() ? 10.0 * entries + 2.0 * levels[n + 1]->rows : 4.0 * entries;
  }
  return operations;
}

struct SerialLevel {
  Matrix matrix;
  std::vector<int> order; // in which Gauss-Seidel visits the rows
  std::vector<int> fine;  // this level's rows on the finer one; empty on the finest
};

class SerialSolver {
public:
  // Without corrections the coarser grids are of no use.
  explicit SerialSolver(std::vector<SerialLevel> levels, bool corrects = true)
      : levels_(std::move(levels)), corrects_(corrects) {}

  // Residual norms, over the right-hand side's, after each iteration. Leaves the solution in x.
  std::vector<double> solve(const std::vector<double> &b, int iterations,
                            std::vector<double> &x) const {
    x.assign(b.size(), 0.0);
    std::vector<double> r = b, p, norms;
    const double scale = std::sqrt(inner(b, b));
    double rz = 0.0;
    for (int n = 0; n < iterations; ++n) {
      const std::vector<double> z = precondition(r, 0);
      const double rzBefore = rz;
      rz = inner(r, z);
      if (n == 0)
        p = z;
      else
        for (std::size_t i = 0; i < p.size(); ++i)
          p[i] = z[i] + rz / rzBefore * p[i];
      const std::vector<double> ap = multiply(levels_[0].matrix, p);
      const double alpha = rz / inner(p, ap);
      for (std::size_t i = 0; i < p.size(); ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * ap[i];
      }
      norms.push_back(std::sqrt(inner(r, r)) / scale);
    }
    return norms;
  }

  static std::vector<double> multiply(const Matrix &matrix, const std::vector<double> &x) {
    std::vector<double> y(matrix.rows, 0.0);
    for (int row = 0; row < matrix.rows; ++row)
      for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k)
        y[row] += matrix.value[k] * x[matrix.column[k]];
    return y;
  }

  static double inner(const std::vector<double> &a, const std::vector<double> &b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }

private:
  static void relax(const Matrix &matrix, int row, const std::vector<double> &r,
                    std::vector<double> &x) {
    double sum = r[row], diagonal = 1.0;
    for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k)
      if (matrix.column[k] == row)
        diagonal = matrix.value[k];
      else
        sum -= matrix.value[k] * x[matrix.column[k]];
    x[row] = sum / diagonal;
  }

  static void smooth(const SerialLevel &level, const std::vector<double> &r,
                     std::vector<double> &x) {
    for (auto row = level.order.begin(); row != level.order.end(); ++row)
      relax(level.matrix, *row, r, x);
    for (auto row = level.order.rbegin(); row != level.order.rend(); ++row)
      relax(level.matrix, *row, r, x);
  }

  [[nodiscard]] std::vector<double> precondition(const std::vector<double> &r,
                                                 std::size_t depth) const {
    const SerialLevel &level = levels_[depth];
    std::vector<double> x(r.size(), 0.0);
    smooth(level, r, x);
    if (depth + 1 == levels_.size())
      return x;
    const std::vector<double> ax = multiply(level.matrix, x);
    const std::vector<int> &fine = levels_[depth + 1].fine;
    std::vector<double> coarse;
    for (int row : fine)
      coarse.push_back(r[row] - ax[row]);
    const std::vector<double> correction = precondition(coarse, depth + 1);
    for (std::size_t i = 0; corrects_ && i < fine.size(); ++i)
      x[fine[i]] += correction[i];
    smooth(level, r, x);
    return x;
  }

  std::vector<SerialLevel> levels_;
  bool corrects_;
};
