// SPDX-License-Identifier: Apache-2.0
// The kernel of ../lbm.cu with the populations in other index orders, nothing else changed; each
// order's result is compared with a serial loop's, or with the original order's. See ../README.md.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

const int Q = 19; // directions
const int kThreads = 64;

struct Extents {
  int x, y, z;
  [[nodiscard]] std::size_t cells() const { return (std::size_t)x * y * z; }
};

__host__ __device__ constexpr int directionX(int q) {
  const int x[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
  return x[q];
}
__host__ __device__ constexpr int directionY(int q) {
  const int y[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
  return y[q];
}
__host__ __device__ constexpr int directionZ(int q) {
  const int z[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
  return z[q];
}
__host__ __device__ constexpr double weight(int q) {
  return q == 0 ? 1.0 / 3.0 : q < 7 ? 1.0 / 18.0 : 1.0 / 36.0;
}

__host__ __device__ inline int wrapped(int coordinate, int extent) {
  return coordinate < 0        ? coordinate + extent
         : coordinate < extent ? coordinate
                               : coordinate - extent;
}

// Where a direction of a cell lies: four orders that leave the cells as they are, each named from
// its slowest index to its fastest, two that change them, and tiles of cells.
struct Zyxq {
  __host__ __device__ static int indexOf(int x, int y, int z, int q, Extents n) {
    return ((z * n.y + y) * n.x + x) * Q + q;
  }
};
struct Zyqx {
  __host__ __device__ static int indexOf(int x, int y, int z, int q, Extents n) {
    return ((z * n.y + y) * Q + q) * n.x + x;
  }
};
struct Zqyx {
  __host__ __device__ static int indexOf(int x, int y, int z, int q, Extents n) {
    return ((z * Q + q) * n.y + y) * n.x + x;
  }
};
struct Qzyx {
  __host__ __device__ static int indexOf(int x, int y, int z, int q, Extents n) {
    return ((q * n.z + z) * n.y + y) * n.x + x;
  }
};
struct Xyzq {
  __host__ __device__ static int indexOf(int x, int y, int z, int q, Extents n) {
    return ((x * n.y + y) * n.z + z) * Q + q;
  }
};
struct Qxyz {
  __host__ __device__ static int indexOf(int x, int y, int z, int q, Extents n) {
    return ((q * n.x + x) * n.y + y) * n.z + z;
  }
};
template <int kTile> struct Tiled {
  __host__ __device__ static int indexOf(int x, int y, int z, int q, Extents n) {
    const int cell = (z * n.y + y) * n.x + x;
    return (cell / kTile * Q + q) * kTile + cell % kTile;
  }
};

template <class Order>
__global__ void step(const double *f, double *next, Extents n, double omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y, z = blockIdx.z;
  if (x >= n.x)
    return;
  double arriving[Q];
  double density = 0.0, ux = 0.0, uy = 0.0, uz = 0.0;
#pragma unroll
  for (int q = 0; q < Q; ++q) {
    const int fromX = wrapped(x - directionX(q), n.x);
    const int fromY = wrapped(y - directionY(q), n.y);
    const int fromZ = wrapped(z - directionZ(q), n.z);
    arriving[q] = f[Order::indexOf(fromX, fromY, fromZ, q, n)];
    density += arriving[q];
    ux += directionX(q) * arriving[q];
    uy += directionY(q) * arriving[q];
    uz += directionZ(q) * arriving[q];
  }
  ux /= density;
  uy /= density;
  uz /= density;
  const double square = 1.5 * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int q = 0; q < Q; ++q) {
    const double along = directionX(q) * ux + directionY(q) * uy + directionZ(q) * uz;
    const double target = weight(q) * density * (1.0 + 3.0 * along + 4.5 * along * along - square);
    next[Order::indexOf(x, y, z, q, n)] = arriving[q] + omega * (target - arriving[q]);
  }
}

// Between the original order and another.
template <class Order> __global__ void fill(const double *original, double *f, Extents n) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= n.x * n.y * n.z)
    return;
  const int x = cell % n.x, y = cell / n.x % n.y, z = cell / n.x / n.y;
  for (int q = 0; q < Q; ++q)
    f[Order::indexOf(x, y, z, q, n)] = original[cell * Q + q];
}
template <class Order> __global__ void restore(const double *f, double *original, Extents n) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= n.x * n.y * n.z)
    return;
  const int x = cell % n.x, y = cell / n.x % n.y, z = cell / n.x / n.y;
  for (int q = 0; q < Q; ++q)
    original[cell * Q + q] = f[Order::indexOf(x, y, z, q, n)];
}

// Slightly out of equilibrium, alike in no two directions.
std::vector<double> startOf(Extents n) {
  std::vector<double> f;
  f.reserve(n.cells() * Q);
  for (std::size_t cell = 0; cell < n.cells(); ++cell)
    for (int q = 0; q < Q; ++q)
      f.push_back(weight(q) * (1.0 + 1e-3 * (double)((cell * 7 + q * 5) % 23)));
  return f;
}

// One step by a serial loop.
std::vector<double> serialStep(const std::vector<double> &f, Extents n, double omega) {
  std::vector<double> next(f.size());
  for (int cell = 0; cell < n.x * n.y * n.z; ++cell) {
    const int x = cell % n.x, y = cell / n.x % n.y, z = cell / n.x / n.y;
    double arriving[Q], density = 0.0, flow[3] = {0.0, 0.0, 0.0}, square = 0.0;
    for (int q = 0; q < Q; ++q) {
      const int direction[3] = {directionX(q), directionY(q), directionZ(q)};
      const int fromX = (x - direction[0] + n.x) % n.x, fromY = (y - direction[1] + n.y) % n.y;
      const int fromZ = (z - direction[2] + n.z) % n.z;
      arriving[q] = f[(std::size_t)((fromZ * n.y + fromY) * n.x + fromX) * Q + q];
      density += arriving[q];
      for (int axis = 0; axis < 3; ++axis)
        flow[axis] += direction[axis] * arriving[q];
    }
    for (const double along : flow)
      square += along * along / (density * density);
    for (int q = 0; q < Q; ++q) {
      const double along =
          (directionX(q) * flow[0] + directionY(q) * flow[1] + directionZ(q) * flow[2]) / density;
      const double target =
          weight(q) * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
      next[(std::size_t)cell * Q + q] = (1.0 - omega) * arriving[q] + omega * target;
    }
  }
  return next;
}

class Orders {
public:
  Orders(Extents n, int steps) : n_(n), steps_(steps), start_(startOf(n)) {
    if ((double)n.cells() * steps <= kComparable) {
      expected_ = start_;
      for (int step = 0; step < steps; ++step)
        expected_ = serialStep(expected_, n, kOmega);
    }
    std::printf("compared with %s\n", expected_.empty() ? "the first order" : "a serial loop");
    CHECK(cudaMalloc(&original_, bytes()));
    for (double *&buffer : buffers_)
      CHECK(cudaMalloc(&buffer, bytes() + kMostTile * Q * sizeof(double)));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Orders() {
    cudaFree(original_);
    for (double *buffer : buffers_)
      cudaFree(buffer);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Orders(const Orders &) = delete;
  Orders &operator=(const Orders &) = delete;

  template <class Order> void run(const char *name) {
    const int threads = 256, blocks = (int)((n_.cells() + threads - 1) / threads);
    CHECK(cudaMemcpy(original_, start_.data(), bytes(), cudaMemcpyHostToDevice));
    fill<Order><<<blocks, threads>>>(original_, buffers_[0], n_);
    const dim3 grid((n_.x + kThreads - 1) / kThreads, n_.y, n_.z);
    CHECK(cudaEventRecord(begin_));
    for (int step = 0; step < steps_; ++step) {
      ::step<Order><<<grid, kThreads>>>(buffers_[0], buffers_[1], n_, kOmega);
      std::swap(buffers_[0], buffers_[1]);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end_));
    CHECK(cudaEventSynchronize(end_));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    restore<Order><<<blocks, threads>>>(buffers_[0], original_, n_);
    std::vector<double> result(start_.size());
    CHECK(cudaMemcpy(result.data(), original_, bytes(), cudaMemcpyDeviceToHost));
    report(name, ms, result);
  }
  [[nodiscard]] bool good() const { return good_; }

private:
  static constexpr double kComparable = 5e6; // updates: beyond, the host would take too long
  static constexpr double kOmega = 1.6;
  static constexpr int kMostTile = 64;

  [[nodiscard]] std::size_t bytes() const { return start_.size() * sizeof(double); }

  void report(const char *name, float ms, const std::vector<double> &result) {
    if (expected_.empty())
      expected_ = result;
    double worst = 0.0;
    for (std::size_t at = 0; at < result.size(); ++at) {
      const double error = std::fabs(result[at] - expected_[at]);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
    const bool right = worst < 1e-12;
    good_ = good_ && right;
    std::printf("%-8s kernel time: %.4f ms, %.1f M updates/s, largest difference %.1e: %s\n", name,
                ms, 1e-3 * (double)n_.cells() * steps_ / ms, worst, right ? "ok" : "WRONG");
  }

  Extents n_;
  int steps_;
  std::vector<double> start_, expected_;
  double *original_ = nullptr, *buffers_[2] = {nullptr, nullptr};
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  bool good_ = true;
};

int main(int argc, char **argv) {
  Extents n = {192, 128, 96};
  int steps = 50;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 1 && std::strcmp(argv[i], "--nx") == 0)
      n.x = value;
    else if (value > 1 && std::strcmp(argv[i], "--ny") == 0)
      n.y = value;
    else if (value > 1 && std::strcmp(argv[i], "--nz") == 0)
      n.z = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      steps = value;
    else {
      std::fprintf(stderr, "usage: %s [--nx N] [--ny N] [--nz N] [--steps N]\n", argv[0]);
      return 2;
    }
  }
  Orders orders(n, steps);
  orders.run<Zyxq>("zyxq");
  orders.run<Zyqx>("zyqx");
  orders.run<Zqyx>("zqyx");
  orders.run<Qzyx>("qzyx");
  orders.run<Xyzq>("xyzq");
  orders.run<Qxyz>("qxyz");
  orders.run<Tiled<8>>("tile-8");
  orders.run<Tiled<32>>("tile-32");
  orders.run<Tiled<64>>("tile-64");
  return orders.good() ? 0 : 1;
}
