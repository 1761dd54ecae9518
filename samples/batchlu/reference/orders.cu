// SPDX-License-Identifier: Apache-2.0
// The kernels of ../batchlu.cu with matrices and vectors in other index orders, nothing else
// changed; each order's result is compared with the original's, and that with a serial elimination.
// See ../README.md.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
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

const int N = 8; // unknowns of a system
const int kThreads = 128;

// Where an element of a system's matrix and of its vectors lies. Each is named from the matrix's
// slowest index to its fastest: s system, r row, c column.
struct Src {
  __device__ static int element(int s, int r, int c, int) { return (s * N + r) * N + c; }
  __device__ static int entry(int s, int r, int) { return s * N + r; }
};
struct Scr {
  __device__ static int element(int s, int r, int c, int) { return (s * N + c) * N + r; }
  __device__ static int entry(int s, int r, int) { return s * N + r; }
};
struct Rsc {
  __device__ static int element(int s, int r, int c, int systems) {
    return (r * systems + s) * N + c;
  }
  __device__ static int entry(int s, int r, int systems) { return r * systems + s; }
};
struct Csr {
  __device__ static int element(int s, int r, int c, int systems) {
    return (c * systems + s) * N + r;
  }
  __device__ static int entry(int s, int r, int) { return s * N + r; }
};
struct Rcs {
  __device__ static int element(int s, int r, int c, int systems) {
    return (r * N + c) * systems + s;
  }
  __device__ static int entry(int s, int r, int systems) { return r * systems + s; }
};
struct Crs {
  __device__ static int element(int s, int r, int c, int systems) {
    return (c * N + r) * systems + s;
  }
  __device__ static int entry(int s, int r, int systems) { return r * systems + s; }
};
template <int kTile> struct Tiled { // as rcs, a tile of systems after the other
  __device__ static int element(int s, int r, int c, int) {
    return ((s / kTile * N + r) * N + c) * kTile + s % kTile;
  }
  __device__ static int entry(int s, int r, int) { return (s / kTile * N + r) * kTile + s % kTile; }
};

template <class Order> __global__ void factor(double *a, int systems) {
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= systems)
    return;
  auto at = [=](int row, int col) { return Order::element(system, row, col, systems); };
  for (int k = 0; k < N; ++k) {
    for (int row = k + 1; row < N; ++row) {
      const double share = a[at(row, k)] / a[at(k, k)];
      a[at(row, k)] = share;
      for (int col = k + 1; col < N; ++col)
        a[at(row, col)] -= share * a[at(k, col)];
    }
  }
}

template <class Order> __global__ void solve(const double *lu, double *x, int systems) {
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= systems)
    return;
  auto at = [=](int row) { return Order::entry(system, row, systems); };
  for (int row = 1; row < N; ++row) {
    double sum = x[at(row)];
    for (int col = 0; col < row; ++col)
      sum -= lu[Order::element(system, row, col, systems)] * x[at(col)];
    x[at(row)] = sum;
  }
  for (int row = N - 1; row >= 0; --row) {
    double sum = x[at(row)];
    for (int col = row + 1; col < N; ++col)
      sum -= lu[Order::element(system, row, col, systems)] * x[at(col)];
    x[at(row)] = sum / lu[Order::element(system, row, row, systems)];
  }
}

// From the original order to another.
template <class Order>
__global__ void fill(const double *originalA, const double *originalX, double *a, double *x,
                     int systems) {
  const int entry = blockIdx.x * blockDim.x + threadIdx.x;
  if (entry >= systems * N)
    return;
  const int system = entry / N, row = entry % N;
  for (int col = 0; col < N; ++col)
    a[Order::element(system, row, col, systems)] = originalA[entry * N + col];
  x[Order::entry(system, row, systems)] = originalX[entry];
}
// And back.
template <class Order> __global__ void restore(const double *x, double *originalX, int systems) {
  const int entry = blockIdx.x * blockDim.x + threadIdx.x;
  if (entry < systems * N)
    originalX[entry] = x[Order::entry(entry / N, entry % N, systems)];
}

// One system by Gauss-Jordan elimination with pivoting.
std::vector<double> serialSolution(const double *matrix, std::vector<double> x) {
  std::vector<double> a(matrix, matrix + N * N);
  for (int k = 0; k < N; ++k) {
    int pivot = k;
    for (int row = k + 1; row < N; ++row)
      if (std::fabs(a[row * N + k]) > std::fabs(a[pivot * N + k]))
        pivot = row;
    for (int col = 0; col < N; ++col)
      std::swap(a[k * N + col], a[pivot * N + col]);
    std::swap(x[k], x[pivot]);
    for (int row = 0; row < N; ++row) {
      const double share = row == k ? 0.0 : a[row * N + k] / a[k * N + k];
      for (int col = k; col < N; ++col)
        a[row * N + col] -= share * a[k * N + col];
      x[row] -= share * x[k];
    }
  }
  for (int k = 0; k < N; ++k)
    x[k] /= a[k * N + k];
  return x;
}

double *newArray(std::size_t count) {
  double *array = nullptr;
  CHECK(cudaMalloc(&array, count * sizeof(double)));
  return array;
}

class Orders {
public:
  Orders(int systems, int steps) : systems_(systems), steps_(steps) {
    makeBatch();
    const std::size_t room = (std::size_t)roundedUp(systems) * N;
    originalA_ = newArray(a_.size());
    originalX_ = newArray(x_.size());
    deviceA_ = newArray(room * N);
    deviceX_ = newArray(room);
    CHECK(cudaMemcpy(originalA_, a_.data(), a_.size() * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Orders() {
    for (double *array : {originalA_, originalX_, deviceA_, deviceX_})
      cudaFree(array);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Orders(const Orders &) = delete;
  Orders &operator=(const Orders &) = delete;

  template <class Order> void run(const char *name) {
    const int threads = 256, fills = (systems_ * N + threads - 1) / threads;
    CHECK(cudaMemcpy(originalX_, x_.data(), x_.size() * sizeof(double), cudaMemcpyHostToDevice));
    fill<Order><<<fills, threads>>>(originalA_, originalX_, deviceA_, deviceX_, systems_);
    const int blocks = (systems_ + kThreads - 1) / kThreads;
    CHECK(cudaEventRecord(begin_));
    factor<Order><<<blocks, kThreads>>>(deviceA_, systems_);
    for (int step = 0; step < steps_; ++step)
      solve<Order><<<blocks, kThreads>>>(deviceA_, deviceX_, systems_);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end_));
    CHECK(cudaEventSynchronize(end_));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    restore<Order><<<fills, threads>>>(deviceX_, originalX_, systems_);
    std::vector<double> result(x_.size());
    CHECK(cudaMemcpy(result.data(), originalX_, result.size() * sizeof(double),
                     cudaMemcpyDeviceToHost));
    report(name, ms, result);
  }
  [[nodiscard]] bool good() const { return good_; }

private:
  static constexpr int kMostTile = 128;
  static constexpr std::size_t kCompared = 1000; // systems, with a serial elimination

  static int roundedUp(int systems) { return (systems + kMostTile - 1) / kMostTile * kMostTile; }

  void makeBatch() {
    std::mt19937 random(1);
    auto unit = [&random] { return (double)random() / 4294967296.0; };
    a_.resize((std::size_t)systems_ * N * N);
    x_.resize((std::size_t)systems_ * N);
    for (int system = 0; system < systems_; ++system) {
      double *a = &a_[(std::size_t)system * N * N];
      for (int row = 0; row < N; ++row) {
        a[row * N + row] = 1.0 + 0.2 * unit();
        for (int col = 0; col < row; ++col) {
          a[row * N + col] = 2.0 * unit() - 1.0;
          a[col * N + row] = -a[row * N + col];
        }
        x_[(std::size_t)system * N + row] = 2.0 * unit() - 1.0;
      }
    }
  }

  // The largest difference from the first order's result, and of that from a serial elimination.
  double distance(const std::vector<double> &result) {
    double worst = 0.0;
    auto compare = [&worst](double found, double expected) {
      const double error = std::fabs(found - expected);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    };
    if (expected_.empty()) {
      expected_ = result;
      for (std::size_t first = 0; first < x_.size() && first < kCompared * N; first += N) {
        std::vector<double> x(x_.begin() + first, x_.begin() + first + N);
        for (int step = 0; step < steps_; ++step)
          x = serialSolution(&a_[first * N], x);
        for (int row = 0; row < N; ++row)
          compare(result[first + row], x[row]);
      }
    }
    for (std::size_t at = 0; at < result.size(); ++at)
      compare(result[at], expected_[at]);
    return worst;
  }

  void report(const char *name, float ms, const std::vector<double> &result) {
    const double worst = distance(result);
    const bool right = worst < 1e-12;
    good_ = good_ && right;
    std::printf("%-8s kernel time: %.4f ms, %.2f M systems/s, largest difference %.1e: %s\n", name,
                ms, 1e-3 * systems_ * (steps_ + 1) / ms, worst, right ? "ok" : "WRONG");
  }

  int systems_, steps_;
  std::vector<double> a_, x_, expected_;
  double *originalA_, *originalX_, *deviceA_, *deviceX_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  bool good_ = true;
};

int main(int argc, char **argv) {
  int systems = 1048576, steps = 10;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--systems") == 0)
      systems = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      steps = value;
    else {
      std::fprintf(stderr, "usage: %s [--systems N] [--steps N]\n", argv[0]);
      return 2;
    }
  }
  Orders orders(systems, steps);
  orders.run<Src>("src");
  orders.run<Scr>("scr");
  orders.run<Rsc>("rsc");
  orders.run<Csr>("csr");
  orders.run<Rcs>("rcs");
  orders.run<Crs>("crs");
  orders.run<Tiled<8>>("tile-8");
  orders.run<Tiled<32>>("tile-32");
  orders.run<Tiled<128>>("tile-128");
  return orders.good() ? 0 : 1;
}
