// SPDX-License-Identifier: Apache-2.0
// HPCG's solver tuned by hand, step by step, after Doi and Okuno. See ../README.md for the steps.
#include "../problem.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

const int kWidth = 27;
const int kThreads = 128;
const int kGroup = 256; // points of a group at most: one byte numbers them
const int kInnerColours = 2;
const int kSumBlocks = 256;
const int kSumThreads = 256;

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

// Points sorted by the colour of their group and by group; transposed entries.
struct Groups {
  const double *outerValues, *innerValues;
  const int *outerColumns;
  const unsigned char *innerColumns; // places in the group
  const double *diagonals;
  const int *unknowns;
  const unsigned char *colours; // inside the group
  const int *firstPoints;
  int outerWidth, innerWidth, innerColours, points;
};

__device__ inline double outerSum(const Groups &g, int point, const double *x) {
  double sum = 0.0;
  for (int k = 0; k < g.outerWidth; ++k)
    sum += g.outerValues[(std::size_t)k * g.points + point] *
           x[g.outerColumns[(std::size_t)k * g.points + point]];
  return sum;
}

__device__ inline double innerSum(const Groups &g, int point, const double *shared) {
  double sum = 0.0;
  for (int k = 0; k < g.innerWidth; ++k)
    sum += g.innerValues[(std::size_t)k * g.points + point] *
           shared[g.innerColumns[(std::size_t)k * g.points + point]];
  return sum;
}

__global__ void multiplyGroups(Groups g, const double *x, double *y) {
  __shared__ double shared[kGroup];
  const int point = g.firstPoints[blockIdx.x] + threadIdx.x;
  const bool active = point < g.firstPoints[blockIdx.x + 1];
  const int unknown = active ? g.unknowns[point] : 0;
  if (active)
    shared[threadIdx.x] = x[unknown];
  __syncthreads();
  if (active)
    y[unknown] = outerSum(g, point, x) + innerSum(g, point, shared) +
                 g.diagonals[point] * shared[threadIdx.x];
}

__global__ void relaxGroups(Groups g, int firstGroup, bool backward, const double *r, double *x) {
  __shared__ double shared[kGroup];
  const int group = firstGroup + blockIdx.x;
  const int point = g.firstPoints[group] + threadIdx.x;
  const bool active = point < g.firstPoints[group + 1];
  int unknown = 0, mine = -1;
  double sum = 0.0;
  if (active) {
    unknown = g.unknowns[point];
    mine = g.colours[point];
    shared[threadIdx.x] = x[unknown];
    sum = r[unknown] - outerSum(g, point, x);
  }
  for (int n = 0; n < g.innerColours; ++n) {
    __syncthreads();
    if (mine == (backward ? g.innerColours - 1 - n : n))
      shared[threadIdx.x] = (sum - innerSum(g, point, shared)) / g.diagonals[point];
  }
  if (active)
    x[unknown] = shared[threadIdx.x];
}

__global__ void restrictResidual(const double *r, const double *ax, const int *fine, int count,
                                 double *coarse) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    coarse[i] = r[fine[i]] - ax[fine[i]];
}

__global__ void prolong(const double *correction, const int *fine, int count, double *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    x[fine[i]] += correction[i];
}

__global__ void combine(const double *x, double factor, const double *y, int count,
                        double *result) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    result[i] = x[i] + factor * y[i];
}

__global__ void sumProducts(const double *a, const double *b, int count, double *partial) {
  __shared__ double sums[kSumThreads];
  double sum = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    sum += a[i] * b[i];
  sums[threadIdx.x] = sum;
  for (int half = kSumThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sums[0];
}

int blocksFor(int count) { return (count + kThreads - 1) / kThreads; }

double innerProduct(const double *a, const double *b, int count, double *partial) {
  sumProducts<<<kSumBlocks, kSumThreads>>>(a, b, count, partial);
  std::array<double, kSumBlocks> sums;
  CHECK(cudaMemcpy(sums.data(), partial, sizeof sums, cudaMemcpyDeviceToHost));
  return std::accumulate(sums.begin(), sums.end(), 0.0);
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

// A matrix by coloured groups of consecutive rows.
class ColouredGroups {
public:
  explicit ColouredGroups(const Matrix &matrix) : points_(matrix.rows) {
    const std::vector<int> groupOf = formGroups(matrix);
    const ColouredOrder order = sortByColour(colourRows(quotient(matrix, groupOf)));
    first_ = order.first;
    std::vector<int> firstPoints = {0}, unknowns;
    std::vector<unsigned char> places(matrix.rows);
    for (int group : order.rows) {
      for (int row = groupBegins_[group]; row < groupBegins_[group + 1]; ++row) {
        places[row] = (unsigned char)(row - groupBegins_[group]);
        unknowns.push_back(row);
      }
      firstPoints.push_back((int)unknowns.size());
    }
    fill(matrix, groupOf, unknowns, places);
    firstPoints_ = Array<int>(firstPoints);
    unknowns_ = Array<int>(unknowns);
  }
  void multiply(const double *x, double *y) const {
    multiplyGroups<<<first_.back(), threads_>>>(groups(), x, y);
  }
  void smooth(const double *r, double *x) const {
    const int colours = (int)first_.size() - 1;
    for (int n = 0; n < 2 * colours; ++n) {
      const int colour = n < colours ? n : 2 * colours - 1 - n;
      relaxGroups<<<first_[colour + 1] - first_[colour], threads_>>>(groups(), first_[colour],
                                                                     n >= colours, r, x);
    }
  }

private:
  // Cuts the rows into groups, as long as the inner colours suffice, and colours inside each.
  std::vector<int> formGroups(const Matrix &matrix) {
    std::vector<int> groupOf(matrix.rows);
    colours_.resize(matrix.rows);
    groupBegins_ = {0};
    for (int row = 0; row < matrix.rows; ++row) {
      std::array<bool, kInnerColours> taken = {};
      for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k)
        if (matrix.column[k] >= groupBegins_.back() && matrix.column[k] < row)
          taken[colours_[matrix.column[k]]] = true;
      int colour = (int)(std::find(taken.begin(), taken.end(), false) - taken.begin());
      if (colour == kInnerColours || row - groupBegins_.back() == kGroup) {
        groupBegins_.push_back(row);
        colour = 0;
      }
      colours_[row] = (unsigned char)colour;
      groupOf[row] = (int)groupBegins_.size() - 1;
    }
    groupBegins_.push_back(matrix.rows);
    for (std::size_t n = 1; n < groupBegins_.size(); ++n)
      threads_ = std::max(threads_, (groupBegins_[n] - groupBegins_[n - 1] + 31) / 32 * 32);
    return groupOf;
  }

  // Which groups have neighbouring rows, as a matrix without values.
  [[nodiscard]] Matrix quotient(const Matrix &matrix, const std::vector<int> &groupOf) const {
    Matrix groups;
    groups.rows = (int)groupBegins_.size() - 1;
    for (int group = 0; group < groups.rows; ++group) {
      std::vector<int> neighbours;
      for (int k = matrix.start[groupBegins_[group]]; k < matrix.start[groupBegins_[group + 1]];
           ++k)
        if (groupOf[matrix.column[k]] != group)
          neighbours.push_back(groupOf[matrix.column[k]]);
      std::sort(neighbours.begin(), neighbours.end());
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      groups.column.insert(groups.column.end(), neighbours.begin(), neighbours.end());
      groups.start.push_back((int)groups.column.size());
    }
    return groups;
  }

  void fill(const Matrix &matrix, const std::vector<int> &groupOf, const std::vector<int> &unknowns,
            const std::vector<unsigned char> &places) {
    const std::size_t points = matrix.rows;
    std::vector<int> outer(points), inner(points); // entries of each point
    for (std::size_t i = 0; i < points; ++i)
      for (int k = matrix.start[unknowns[i]]; k < matrix.start[unknowns[i] + 1]; ++k)
        if (matrix.column[k] != unknowns[i])
          ++(groupOf[matrix.column[k]] == groupOf[unknowns[i]] ? inner : outer)[i];
    outerWidth_ = *std::max_element(outer.begin(), outer.end());
    innerWidth_ = *std::max_element(inner.begin(), inner.end());
    std::vector<int> outerColumns(outerWidth_ * points);
    std::vector<unsigned char> innerColumns(innerWidth_ * points), colours(points);
    std::vector<double> outerValues(outerWidth_ * points), innerValues(innerWidth_ * points);
    std::vector<double> diagonals(points);
    for (std::size_t i = 0; i < points; ++i) {
      const int row = unknowns[i];
      colours[i] = colours_[row];
      int outerCount = 0, innerCount = 0;
      for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k) {
        const int column = matrix.column[k];
        if (column == row) {
          diagonals[i] = matrix.value[k];
        } else if (groupOf[column] == groupOf[row]) {
          innerColumns[innerCount * points + i] = places[column];
          innerValues[innerCount++ * points + i] = matrix.value[k];
        } else {
          outerColumns[outerCount * points + i] = column;
          outerValues[outerCount++ * points + i] = matrix.value[k];
        }
      }
      for (; innerCount < innerWidth_; ++innerCount)
        innerColumns[innerCount * points + i] = places[row];
      for (; outerCount < outerWidth_; ++outerCount)
        outerColumns[outerCount * points + i] = row;
    }
    outerValues_ = Array<double>(outerValues);
    innerValues_ = Array<double>(innerValues);
    outerColumns_ = Array<int>(outerColumns);
    innerColumns_ = Array<unsigned char>(innerColumns);
    diagonals_ = Array<double>(diagonals);
    deviceColours_ = Array<unsigned char>(colours);
  }

  [[nodiscard]] Groups groups() const {
    return {outerValues_.get(), innerValues_.get(), outerColumns_.get(),  innerColumns_.get(),
            diagonals_.get(),   unknowns_.get(),    deviceColours_.get(), firstPoints_.get(),
            outerWidth_,        innerWidth_,        kInnerColours,        points_};
  }

  int points_, threads_ = 32, outerWidth_ = 0, innerWidth_ = 0;
  std::vector<int> groupBegins_, first_;
  std::vector<unsigned char> colours_;
  Array<double> outerValues_, innerValues_, diagonals_;
  Array<int> outerColumns_, unknowns_, firstPoints_;
  Array<unsigned char> innerColumns_, deviceColours_;
};

template <class Operator> class Solver {
public:
  explicit Solver(const std::vector<SerialLevel> &problem) : partial_(kSumBlocks) {
    for (const SerialLevel &level : problem)
      levels_.push_back({level.matrix.rows, Operator(level.matrix), Array<int>(level.fine),
                         Array<double>(level.matrix.rows), Array<double>(level.matrix.rows),
                         Array<double>(level.matrix.rows)});
  }

  struct Result {
    int iterations = 0;
    double residual = 1.0, largestError = 0.0; // the solution is all ones
    float elapsedMs = 0.0f;
  };

  Result solve(const std::vector<double> &b, double target, int most) {
    const int count = levels_[0].count, blocks = blocksFor(count);
    Array<double> x(count), r(b), z(count), p(count), ap(count);
    const double scale = std::sqrt(innerProduct(r.get(), r.get(), count, partial_.get()));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    Result result;
    double rz = 0.0;
    CHECK(cudaEventRecord(start));
    while (result.iterations < most && result.residual > target) {
      precondition(0, r.get(), z.get());
      const double before = rz;
      rz = innerProduct(r.get(), z.get(), count, partial_.get());
      combine<<<blocks, kThreads>>>(z.get(), result.iterations ? rz / before : 0.0, p.get(), count,
                                    p.get());
      levels_[0].matrix.multiply(p.get(), ap.get());
      const double alpha = rz / innerProduct(p.get(), ap.get(), count, partial_.get());
      combine<<<blocks, kThreads>>>(x.get(), alpha, p.get(), count, x.get());
      combine<<<blocks, kThreads>>>(r.get(), -alpha, ap.get(), count, r.get());
      result.residual = std::sqrt(innerProduct(r.get(), r.get(), count, partial_.get())) / scale;
      ++result.iterations;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&result.elapsedMs, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    std::vector<double> solution(count);
    CHECK(cudaMemcpy(solution.data(), x.get(), count * sizeof(double), cudaMemcpyDeviceToHost));
    for (double value : solution)
      if (!(std::fabs(value - 1.0) <= result.largestError)) // also true for NaN
        result.largestError = std::fabs(value - 1.0);
    return result;
  }

private:
  struct Level {
    int count;
    Operator matrix;
    Array<int> fine;
    Array<double> r, x, ax;
  };

  void precondition(std::size_t depth, const double *r, double *x) {
    const Level &level = levels_[depth];
    CHECK(cudaMemsetAsync(x, 0, level.count * sizeof(double)));
    level.matrix.smooth(r, x);
    if (depth + 1 == levels_.size())
      return;
    const Level &coarse = levels_[depth + 1];
    level.matrix.multiply(x, level.ax.get());
    restrictResidual<<<blocksFor(coarse.count), kThreads>>>(r, level.ax.get(), coarse.fine.get(),
                                                            coarse.count, coarse.r.get());
    precondition(depth + 1, coarse.r.get(), coarse.x.get());
    prolong<<<blocksFor(coarse.count), kThreads>>>(coarse.x.get(), coarse.fine.get(), coarse.count,
                                                   x);
    level.matrix.smooth(r, x);
  }

  std::vector<Level> levels_;
  Array<double> partial_;
};

template <class Operator>
bool run(const char *name, const std::vector<SerialLevel> &problem, double target) {
  Solver<Operator> solver(problem);
  const std::vector<double> b = makeRightSide(problem[0].matrix);
  const int most = 500;
  solver.solve(b, 0.0, 2); // loads the kernels
  const auto result = solver.solve(b, target, most);
  std::vector<const Matrix *> matrices;
  for (const SerialLevel &level : problem)
    matrices.push_back(&level.matrix);
  const bool good = result.iterations < most && result.largestError < 1e4 * target + 1e-9;
  std::printf("%-13s %3d iterations %10.4f ms, %8.4f ms each, %8.2f GFLOPS  largest error %.1e%s\n",
              name, result.iterations, result.elapsedMs, result.elapsedMs / result.iterations,
              1e-6 * operationsPerIteration(matrices) * result.iterations / result.elapsedMs,
              result.largestError, good ? "" : " WRONG");
  return good;
}

int main(int argc, char **argv) {
  int size = 64, iterations = 50;
  double target = 0.0;
  for (int i = 1; i < argc; i += 2) {
    const double value = i + 1 < argc ? std::atof(argv[i + 1]) : 0.0;
    if (value > 0 && (int)value % 8 == 0 && std::strcmp(argv[i], "--size") == 0)
      size = (int)value;
    else if (value > 0 && std::strcmp(argv[i], "--iterations") == 0)
      iterations = (int)value;
    else if (value > 0 && std::strcmp(argv[i], "--target") == 0)
      target = value;
    else {
      std::fprintf(stderr,
                   "usage: %s [--size MULTIPLE-OF-8] [--iterations N] [--target RESIDUAL]\n",
                   argv[0]);
      return 2;
    }
  }
  std::vector<SerialLevel> problem;
  for (int n = 0; n < 4; ++n) {
    SerialLevel level;
    level.matrix = makeMatrix(size >> n, size >> n, size >> n);
    level.order.resize(level.matrix.rows);
    std::iota(level.order.begin(), level.order.end(), 0);
    if (n > 0)
      level.fine = makeInjection(2 * (size >> n), 2 * (size >> n), 2 * (size >> n));
    problem.push_back(std::move(level));
  }
  if (target == 0.0) {
    std::vector<double> x;
    target = SerialSolver(problem).solve(makeRightSide(problem[0].matrix), iterations, x).back();
    std::printf("%d^3 points: serial residual %.6e after %d iterations\n", size, target,
                iterations);
  } else {
    std::printf("%d^3 points to the residual %.6e\n", size, target);
  }
  bool good = run<ColouredRows<false>>("ell", problem, target);
  good = run<ColouredRows<true>>("transposed", problem, target) && good;
  good = run<ColouredGroups>("hierarchical", problem, target) && good;
  return good ? 0 : 1;
}
