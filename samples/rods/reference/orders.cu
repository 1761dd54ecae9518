// SPDX-License-Identifier: Apache-2.0
// The kernel of ../rods.cu with coefficients and temperatures in other index orders, nothing else
// changed; each order's result is compared with the first's, and that with a serial elimination.
// See ../README.md.
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
  int rods, cells;
};

// Where a cell of a rod lies.
struct ByRods {
  __host__ __device__ static int indexOf(int rod, int cell, Extents n) {
    return rod * n.cells + cell;
  }
};
struct ByCells {
  __host__ __device__ static int indexOf(int rod, int cell, Extents n) {
    return cell * n.rods + rod;
  }
};
template <int kTile> struct Tiled { // a tile of rods after the other, cells slowest in it
  __host__ __device__ static int indexOf(int rod, int cell, Extents n) {
    return (rod / kTile * n.cells + cell) * kTile + rod % kTile;
  }
};

template <class Coefficient, class Temperature>
__global__ void step(const double *lower, const double *diagonal, const double *upper,
                     double *ratio, double *temperature, Extents n) {
  const int rod = blockIdx.x * blockDim.x + threadIdx.x;
  if (rod >= n.rods)
    return;
  const auto a = [&](int cell) { return Coefficient::indexOf(rod, cell, n); };
  const auto t = [&](int cell) { return Temperature::indexOf(rod, cell, n); };
  ratio[a(0)] = upper[a(0)] / diagonal[a(0)];
  temperature[t(0)] /= diagonal[a(0)];
  for (int cell = 1; cell < n.cells; ++cell) {
    const double pivot = diagonal[a(cell)] - lower[a(cell)] * ratio[a(cell - 1)];
    ratio[a(cell)] = upper[a(cell)] / pivot;
    temperature[t(cell)] =
        (temperature[t(cell)] - lower[a(cell)] * temperature[t(cell - 1)]) / pivot;
  }
  for (int cell = n.cells - 2; cell >= 0; --cell)
    temperature[t(cell)] -= ratio[a(cell)] * temperature[t(cell + 1)];
}

// From the sample's order, and back to it.
template <class Order> __global__ void arrange(const double *from, double *to, Extents n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n.rods * n.cells)
    to[Order::indexOf(i / n.cells, i % n.cells, n)] = from[i];
}
template <class Order> __global__ void restore(const double *from, double *to, Extents n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n.rods * n.cells)
    to[i] = from[Order::indexOf(i / n.cells, i % n.cells, n)];
}

class Orders {
public:
  Orders(Extents n, int steps) : n_(n), steps_(steps) {
    makeRods();
    const std::size_t room = (std::size_t)(n.rods + 127) / 128 * 128 * n.cells;
    for (double **array : {&lower_, &diagonal_, &upper_, &ratio_, &temperature_, &original_})
      CHECK(cudaMalloc(array, room * sizeof(double)));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Orders() {
    for (double *array : {lower_, diagonal_, upper_, ratio_, temperature_, original_})
      cudaFree(array);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Orders(const Orders &) = delete;
  Orders &operator=(const Orders &) = delete;

  template <class Coefficient, class Temperature> void run(const char *name) {
    upload<Coefficient>(hostLower_, lower_);
    upload<Coefficient>(hostDiagonal_, diagonal_);
    upload<Coefficient>(hostUpper_, upper_);
    upload<Temperature>(hostTemperature_, temperature_);
    const int threads = 128, blocks = (n_.rods + threads - 1) / threads;
    CHECK(cudaEventRecord(begin_));
    for (int n = 0; n < steps_; ++n)
      step<Coefficient, Temperature>
          <<<blocks, threads>>>(lower_, diagonal_, upper_, ratio_, temperature_, n_);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end_));
    CHECK(cudaEventSynchronize(end_));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    restore<Temperature><<<fills(), 256>>>(temperature_, original_, n_);
    std::vector<double> result(hostTemperature_.size());
    CHECK(cudaMemcpy(result.data(), original_, result.size() * sizeof(double),
                     cudaMemcpyDeviceToHost));
    report(name, ms, result);
  }
  [[nodiscard]] bool good() const { return good_; }

private:
  [[nodiscard]] int fills() const { return (n_.rods * n_.cells + 255) / 256; }

  template <class Order> void upload(const std::vector<double> &from, double *to) {
    CHECK(cudaMemcpy(original_, from.data(), from.size() * sizeof(double), cudaMemcpyHostToDevice));
    arrange<Order><<<fills(), 256>>>(original_, to, n_);
  }

  // As in the sample.
  void makeRods() {
    std::mt19937 random(1);
    auto unit = [&random] { return (double)random() / 4294967296.0; };
    const std::size_t cells = n_.cells, count = n_.rods * cells;
    for (std::vector<double> *values :
         {&hostLower_, &hostDiagonal_, &hostUpper_, &hostTemperature_})
      values->resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      hostLower_[i] = i % cells == 0 ? 0.0 : hostUpper_[i - 1];
      hostUpper_[i] = i % cells + 1 == cells ? 0.0 : -(0.1 + 4.0 * unit());
      hostDiagonal_[i] = 1.0 - hostLower_[i] - hostUpper_[i];
      hostTemperature_[i] = 300.0 + 100.0 * unit();
    }
  }

  // The first 1,000 rods by a serial elimination from the other end.
  std::vector<double> serialResult() const {
    const std::size_t cells = n_.cells;
    std::vector<double> result(hostTemperature_.begin(),
                               hostTemperature_.begin() + std::min(n_.rods, 1000) * cells);
    std::vector<double> share(cells + 1);
    for (std::size_t first = 0; first < result.size(); first += cells)
      for (int n = 0; n < steps_; ++n) {
        double *t = &result[first];
        for (std::size_t c = cells; c-- > 0;) {
          const double above = c + 1 == cells ? 0.0 : hostUpper_[first + c];
          const double pivot = hostDiagonal_[first + c] - above * share[c + 1];
          share[c] = hostLower_[first + c] / pivot;
          t[c] = (t[c] - (c + 1 == cells ? 0.0 : above * t[c + 1])) / pivot;
        }
        for (std::size_t c = 1; c < cells; ++c)
          t[c] -= share[c] * t[c - 1];
      }
    return result;
  }

  void report(const char *name, float ms, const std::vector<double> &result) {
    double worst = 0.0;
    auto compare = [&](const std::vector<double> &expected) {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double error = std::fabs(result[i] - expected[i]);
        if (!(error <= worst)) // also true for NaN
          worst = error;
      }
    };
    if (expected_.empty()) {
      compare(serialResult());
      expected_ = result;
    }
    compare(expected_);
    const bool right = worst < 1e-9;
    good_ = good_ && right;
    const double cells = (double)n_.rods * n_.cells * steps_;
    std::printf("%-12s kernel time: %.4f ms, %.2f M cells/s, largest difference %.1e: %s\n", name,
                ms, 1e-3 * cells / ms, worst, right ? "ok" : "WRONG");
  }

  Extents n_;
  int steps_;
  std::vector<double> hostLower_, hostDiagonal_, hostUpper_, hostTemperature_, expected_;
  double *lower_, *diagonal_, *upper_, *ratio_, *temperature_, *original_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  bool good_ = true;
};

int main(int argc, char **argv) {
  Extents n = {1048576, 64};
  int steps = 10;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--rods") == 0)
      n.rods = value;
    else if (value > 1 && std::strcmp(argv[i], "--cells") == 0)
      n.cells = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      steps = value;
    else {
      std::fprintf(stderr, "usage: %s [--rods N] [--cells N] [--steps N]\n", argv[0]);
      return 2;
    }
  }
  Orders orders(n, steps);
  orders.run<ByRods, ByRods>("rods/rods");
  orders.run<ByRods, ByCells>("rods/cells");
  orders.run<ByCells, ByRods>("cells/rods");
  orders.run<ByCells, ByCells>("cells/cells");
  orders.run<Tiled<8>, Tiled<8>>("tile-8");
  orders.run<Tiled<32>, Tiled<32>>("tile-32");
  orders.run<Tiled<128>, Tiled<128>>("tile-128");
  return orders.good() ? 0 : 1;
}
