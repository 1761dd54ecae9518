// SPDX-License-Identifier: Apache-2.0
// The kernel of ../heat.cu with the grid in other index orders, nothing else changed; each order's
// result is compared with a serial loop's, or with the original order's. See ../README.md.
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

const double kAlongX = 0.08, kAlongY = 0.10, kAlongZ = 0.20;
const int kI = 0, kJ = 1, kK = 2;

struct Extents {
  int x, y, z;
  [[nodiscard]] std::size_t points() const { return (std::size_t)x * y * z; }
};

__host__ __device__ constexpr int roundedUp(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The three indices, from the slowest to the fastest.
template <int kSlow, int kMiddle, int kFast> struct Permuted {
  __host__ __device__ static int indexOf(int i, int j, int k, Extents n) {
    const int index[3] = {i, j, k}, extent[3] = {n.x, n.y, n.z};
    return (index[kSlow] * extent[kMiddle] + index[kMiddle]) * extent[kFast] + index[kFast];
  }
  static std::size_t size(Extents n) { return n.points(); }
};

// Blocks of kX x kY x kZ points, one after the other; i runs fastest inside and outside.
template <int kX, int kY, int kZ> struct Bricks {
  __host__ __device__ static int indexOf(int i, int j, int k, Extents n) {
    const int across = (n.x + kX - 1) / kX, down = (n.y + kY - 1) / kY;
    const int brick = (k / kZ * down + j / kY) * across + i / kX;
    return ((brick * kZ + k % kZ) * kY + j % kY) * kX + i % kX;
  }
  static std::size_t size(Extents n) {
    return Extents{roundedUp(n.x, kX), roundedUp(n.y, kY), roundedUp(n.z, kZ)}.points();
  }
};

template <class Order> __global__ void step(const double *u, double *next, Extents n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || i >= n.x - 1 || j < 1 || j >= n.y - 1)
    return;
  for (int k = 1; k < n.z - 1; ++k) {
    const double centre = u[Order::indexOf(i, j, k, n)];
    const double x = u[Order::indexOf(i - 1, j, k, n)] + u[Order::indexOf(i + 1, j, k, n)];
    const double y = u[Order::indexOf(i, j - 1, k, n)] + u[Order::indexOf(i, j + 1, k, n)];
    const double z = u[Order::indexOf(i, j, k - 1, n)] + u[Order::indexOf(i, j, k + 1, n)];
    next[Order::indexOf(i, j, k, n)] = centre + kAlongX * (x - 2.0 * centre) +
                                       kAlongY * (y - 2.0 * centre) + kAlongZ * (z - 2.0 * centre);
  }
}

// Between the original order and another.
template <class Order> __global__ void fill(const double *original, double *u, Extents n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n.x * n.y * n.z)
    u[Order::indexOf(at / (n.y * n.z), at / n.z % n.y, at % n.z, n)] = original[at];
}
template <class Order> __global__ void restore(const double *u, double *original, Extents n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n.x * n.y * n.z)
    original[at] = u[Order::indexOf(at / (n.y * n.z), at / n.z % n.y, at % n.z, n)];
}

// Hot in the middle, zero on the faces, alike in no two directions.
std::vector<double> startOf(Extents n) {
  std::vector<double> u(n.points(), 0.0);
  for (int i = 1; i < n.x - 1; ++i)
    for (int j = 1; j < n.y - 1; ++j)
      for (int k = 1; k < n.z - 1; ++k)
        u[Permuted<kI, kJ, kK>::indexOf(i, j, k, n)] =
            1e-6 * i * (n.x - 1 - i) * j * (n.y - 1 - j) / (1.0 + k) + 0.5 * ((i + 2 * j + k) % 7);
  return u;
}

// The same steps by a serial loop.
std::vector<double> serialSteps(std::vector<double> u, Extents n, int steps) {
  const int alongX = n.y * n.z, alongY = n.z;
  std::vector<double> next = u;
  for (int step = 0; step < steps; ++step) {
    for (int i = 1; i < n.x - 1; ++i)
      for (int j = 1; j < n.y - 1; ++j)
        for (int at = i * alongX + j * alongY + 1; at < i * alongX + (j + 1) * alongY - 1; ++at)
          next[at] = u[at] * (1.0 - 2.0 * (kAlongX + kAlongY + kAlongZ)) +
                     kAlongX * (u[at - alongX] + u[at + alongX]) +
                     kAlongY * (u[at - alongY] + u[at + alongY]) +
                     kAlongZ * (u[at - 1] + u[at + 1]);
    u.swap(next);
  }
  return u;
}

class Orders {
public:
  Orders(Extents n, int steps) : n_(n), steps_(steps), start_(startOf(n)) {
    if ((double)n.points() * steps <= kComparable)
      expected_ = serialSteps(start_, n, steps);
    std::printf("compared with %s\n", expected_.empty() ? "the first order" : "a serial loop");
    CHECK(cudaMalloc(&original_, n.points() * sizeof(double)));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Orders() {
    cudaFree(original_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Orders(const Orders &) = delete;
  Orders &operator=(const Orders &) = delete;

  template <class Order> void run(const char *name) {
    const int threads = 256, blocks = (int)((n_.points() + threads - 1) / threads);
    double *buffers[2];
    CHECK(cudaMemcpy(original_, start_.data(), start_.size() * sizeof(double),
                     cudaMemcpyHostToDevice));
    for (double *&buffer : buffers) {
      CHECK(cudaMalloc(&buffer, Order::size(n_) * sizeof(double)));
      fill<Order><<<blocks, threads>>>(original_, buffer, n_);
    }
    const dim3 block(32, 8);
    const dim3 grid((n_.x + block.x - 1) / block.x, (n_.y + block.y - 1) / block.y);
    CHECK(cudaEventRecord(begin_));
    for (int step = 0; step < steps_; ++step) {
      ::step<Order><<<grid, block>>>(buffers[0], buffers[1], n_);
      std::swap(buffers[0], buffers[1]);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end_));
    CHECK(cudaEventSynchronize(end_));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    restore<Order><<<blocks, threads>>>(buffers[0], original_, n_);
    std::vector<double> result(start_.size());
    CHECK(cudaMemcpy(result.data(), original_, result.size() * sizeof(double),
                     cudaMemcpyDeviceToHost));
    for (double *buffer : buffers)
      CHECK(cudaFree(buffer));
    report(name, ms, result);
  }
  [[nodiscard]] bool good() const { return good_; }

private:
  static constexpr double kComparable = 5e7; // updates: beyond, the host would take too long

  void report(const char *name, float ms, const std::vector<double> &result) {
    if (expected_.empty())
      expected_ = result;
    double worst = 0.0;
    for (std::size_t at = 0; at < result.size(); ++at) {
      const double error = std::fabs(result[at] - expected_[at]);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
    const bool right = worst < 1e-9;
    good_ = good_ && right;
    const double updates = double(n_.x - 2) * (n_.y - 2) * (n_.z - 2) * steps_;
    std::printf("%-13s kernel time: %.4f ms, %.2f G updates/s, largest difference %.1e: %s\n", name,
                ms, 1e-6 * updates / ms, worst, right ? "ok" : "WRONG");
  }

  Extents n_;
  int steps_;
  std::vector<double> start_, expected_;
  double *original_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  bool good_ = true;
};

int main(int argc, char **argv) {
  Extents n = {448, 384, 192};
  int steps = 50;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 2 && std::strcmp(argv[i], "--nx") == 0)
      n.x = value;
    else if (value > 2 && std::strcmp(argv[i], "--ny") == 0)
      n.y = value;
    else if (value > 2 && std::strcmp(argv[i], "--nz") == 0)
      n.z = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      steps = value;
    else {
      std::fprintf(stderr, "usage: %s [--nx N] [--ny N] [--nz N] [--steps N]\n", argv[0]);
      return 2;
    }
  }
  Orders orders(n, steps);
  orders.run<Permuted<kI, kJ, kK>>("ijk");
  orders.run<Permuted<kI, kK, kJ>>("ikj");
  orders.run<Permuted<kJ, kI, kK>>("jik");
  orders.run<Permuted<kJ, kK, kI>>("jki");
  orders.run<Permuted<kK, kI, kJ>>("kij");
  orders.run<Permuted<kK, kJ, kI>>("kji");
  orders.run<Bricks<32, 4, 4>>("bricks-32x4x4");
  orders.run<Bricks<8, 8, 8>>("bricks-8x8x8");
  return orders.good() ? 0 : 1;
}
