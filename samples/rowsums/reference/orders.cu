// SPDX-License-Identifier: Apache-2.0
// The kernels of ../rowsums.cu with both matrices in other index orders, nothing else changed; each
// order's result is compared with the host's. See ../README.md.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

struct Extents {
  int rows, columns;
};

__host__ __device__ constexpr int roundedUp(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Where an element lies.
struct ByRows {
  __host__ __device__ static int indexOf(int row, int column, Extents n) {
    return row * n.columns + column;
  }
};
struct ByColumns {
  __host__ __device__ static int indexOf(int row, int column, Extents n) {
    return column * n.rows + row;
  }
};
// Tiles one after the other along a row of tiles; rows run fastest in each.
template <int kRows, int kColumns> struct Tiled {
  __host__ __device__ static int indexOf(int row, int column, Extents n) {
    const int tile = row / kRows * (roundedUp(n.columns, kColumns) / kColumns) + column / kColumns;
    return (tile * kColumns + column % kColumns) * kRows + row % kRows;
  }
};

template <class OrderOfA> __global__ void rowSums(const float *a, float *sums, Extents n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n.rows)
    return;
  float sum = 0.0f;
  for (int column = 0; column < n.columns; ++column)
    sum += a[OrderOfA::indexOf(row, column, n)];
  sums[row] = sum;
}

template <class OrderOfA, class OrderOfT>
__global__ void transpose(const float *a, const float *sums, float *transposed, Extents n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n.rows || column >= n.columns)
    return;
  transposed[OrderOfT::indexOf(column, row, {n.columns, n.rows})] =
      a[OrderOfA::indexOf(row, column, n)] / sums[row];
}

// From the sample's order, and back to it.
template <class OrderOfA> __global__ void arrange(const float *counts, float *a, Extents n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n.rows && column < n.columns)
    a[OrderOfA::indexOf(row, column, n)] = counts[row * n.columns + column];
}
template <class OrderOfT> __global__ void restore(const float *transposed, float *t, Extents n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n.rows && column < n.columns)
    t[column * n.rows + row] = transposed[OrderOfT::indexOf(column, row, {n.columns, n.rows})];
}

// The sample's matrix: how long a division takes, and so the kernel, depends on where zeros are.
std::vector<float> countsOf(Extents n) {
  std::mt19937 random(1);
  std::vector<float> counts((std::size_t)n.rows * n.columns);
  for (float &count : counts)
    count = (float)(random() % 16);
  for (int row = 0; row < n.rows; ++row)
    counts[(std::size_t)row * n.columns] += 1.0f;
  return counts;
}

class Orders {
public:
  Orders(Extents n, int repeats)
      : n_(n), repeats_(repeats), counts_(countsOf(n)), sumOfRow_(n.rows, 0.0) {
    const std::size_t room = (std::size_t)roundedUp(n.rows, 32) * roundedUp(n.columns, 32);
    for (float **array : {&a_, &transposed_})
      CHECK(cudaMalloc(array, room * sizeof(float)));
    CHECK(cudaMalloc(&sums_, n.rows * sizeof(float)));
    result_.resize(counts_.size());
    for (int row = 0; row < n.rows; ++row)
      for (int column = 0; column < n.columns; ++column)
        sumOfRow_[row] += countOf(row, column);
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Orders() {
    for (float *array : {a_, sums_, transposed_})
      cudaFree(array);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Orders(const Orders &) = delete;
  Orders &operator=(const Orders &) = delete;

  template <class OrderOfA, class OrderOfT> void run(const char *name) {
    const int threads = 128;
    const dim3 block(32, 8);
    const dim3 grid((n_.rows + block.x - 1) / block.x, (n_.columns + block.y - 1) / block.y);
    CHECK(cudaMemcpy(transposed_, counts_.data(), counts_.size() * sizeof(float),
                     cudaMemcpyHostToDevice));
    arrange<OrderOfA><<<grid, block>>>(transposed_, a_, n_);
    CHECK(cudaEventRecord(begin_));
    for (int repeat = 0; repeat < repeats_; ++repeat) {
      rowSums<OrderOfA><<<(n_.rows + threads - 1) / threads, threads>>>(a_, sums_, n_);
      transpose<OrderOfA, OrderOfT><<<grid, block>>>(a_, sums_, transposed_, n_);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end_));
    CHECK(cudaEventSynchronize(end_));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    restore<OrderOfT><<<grid, block>>>(transposed_, a_, n_);
    CHECK(cudaMemcpy(result_.data(), a_, result_.size() * sizeof(float), cudaMemcpyDeviceToHost));
    report(name, ms);
  }
  [[nodiscard]] bool good() const { return good_; }

private:
  [[nodiscard]] float countOf(int row, int column) const {
    return counts_[(std::size_t)row * n_.columns + column];
  }

  void report(const char *name, float ms) {
    double worst = 0.0;
    std::size_t at = 0;
    for (int column = 0; column < n_.columns; ++column) {
      for (int row = 0; row < n_.rows; ++row) {
        const double error = std::fabs(result_[at++] * sumOfRow_[row] - countOf(row, column));
        if (!(error <= worst)) // also true for NaN
          worst = error;
      }
    }
    const bool right = worst < 1e-5;
    good_ = good_ && right;
    const double elements = (double)n_.rows * n_.columns * repeats_;
    std::printf("%-16s kernel time: %.4f ms, %.2f G elements/s, largest difference %.1e: %s\n",
                name, ms, 1e-6 * elements / ms, worst, right ? "ok" : "WRONG");
  }

  Extents n_;
  int repeats_;
  std::vector<float> counts_;
  std::vector<double> sumOfRow_;
  std::vector<float> result_;
  float *a_ = nullptr, *sums_ = nullptr, *transposed_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  bool good_ = true;
};

int main(int argc, char **argv) {
  Extents n = {131072, 512};
  int repeats = 20;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--rows") == 0)
      n.rows = value;
    else if (value > 0 && std::strcmp(argv[i], "--columns") == 0)
      n.columns = value;
    else if (value > 0 && std::strcmp(argv[i], "--repeats") == 0)
      repeats = value;
    else {
      std::fprintf(stderr, "usage: %s [--rows N] [--columns N] [--repeats N]\n", argv[0]);
      return 2;
    }
  }
  Orders orders(n, repeats);
  orders.run<ByRows, ByRows>("rows/rows");
  orders.run<ByRows, ByColumns>("rows/columns");
  orders.run<ByColumns, ByRows>("columns/rows");
  orders.run<ByColumns, ByColumns>("columns/columns");
  orders.run<Tiled<32, 8>, ByRows>("tiles-32x8/rows");
  orders.run<Tiled<32, 32>, ByRows>("tiles-32x32/rows");
  orders.run<Tiled<32, 32>, Tiled<32, 32>>("tiles/tiles");
  return orders.good() ? 0 : 1;
}
