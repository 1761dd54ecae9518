// SPDX-License-Identifier: Apache-2.0
// The Himeno kernel tuned by hand, step by step, after Naruse, Sumimoto and Kumon (2008).
// See ../README.md for the steps.
#include <algorithm>
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

struct Grid {
  int imax, jmax, kmax;
};

// Where coefficient c of a point lies: c * coefficient + i * plane + j * kmax + k.
struct Strides {
  std::size_t coefficient, plane;
};

const float kOmega = 0.8f;
const float kMixed = 0.1f;    // weight of the mixed derivatives
const int kCoefficients = 12; // a0..a3, b0..b2, c0..c2, wrk1, bnd

// at(di, dj, dk) is the pressure that far from the point.
template <class Pressure>
__device__ inline float relaxed(const float *coef, std::size_t stride, Pressure at) {
  float s0 = coef[0] * at(1, 0, 0) + coef[stride] * at(0, 1, 0) + coef[2 * stride] * at(0, 0, 1) +
             coef[4 * stride] * (at(1, 1, 0) - at(1, -1, 0) - at(-1, 1, 0) + at(-1, -1, 0)) +
             coef[5 * stride] * (at(0, 1, 1) - at(0, -1, 1) - at(0, 1, -1) + at(0, -1, -1)) +
             coef[6 * stride] * (at(1, 0, 1) - at(-1, 0, 1) - at(1, 0, -1) + at(-1, 0, -1)) +
             coef[7 * stride] * at(-1, 0, 0) + coef[8 * stride] * at(0, -1, 0) +
             coef[9 * stride] * at(0, 0, -1) + coef[10 * stride];
  float old = at(0, 0, 0);
  return old + kOmega * ((s0 * coef[3 * stride] - old) * coef[11 * stride]);
}

// A block of BX x BY threads computes BX x BY x BZ points; the pressure of all of them and their
// neighbours is loaded first.
template <int BX, int BY, int BZ, bool Sync>
__global__ void sweepBlock(const float *coef, Strides strides, const float *p, float *next,
                           Grid grid) {
  __shared__ float tile[BZ + 2][BY + 2][BX + 2];
  const int k0 = blockIdx.x * BX, j0 = blockIdx.y * BY, i0 = blockIdx.z * BZ;
  const std::size_t row = grid.kmax, up = row * grid.jmax;
  const int thread = threadIdx.y * BX + threadIdx.x;
  for (int n = thread; n < (BY + 2) * (BX + 2); n += BX * BY) {
    const int y = n / (BX + 2), x = n % (BX + 2);
    const int j = min(j0 + y, grid.jmax - 1), k = min(k0 + x, grid.kmax - 1);
    for (int z = 0; z < BZ + 2; ++z)
      tile[z][y][x] = p[min(i0 + z, grid.imax - 1) * up + j * row + k];
  }
  __syncthreads();
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const int k = k0 + x, j = j0 + y;
  const bool inside = j < grid.jmax - 1 && k < grid.kmax - 1;
  for (int z = 1; z <= BZ; ++z) {
    const int i = i0 + z;
    if (inside && i < grid.imax - 1)
      next[i * up + j * row + k] =
          relaxed(coef + i * strides.plane + j * row + k, strides.coefficient,
                  [&](int di, int dj, int dk) { return tile[z + di][y + dj][x + dk]; });
    if (Sync)
      __syncthreads();
  }
}

// The same with the pressure of three planes at a time: the block walks along i.
template <int BX, int BY, int BZ>
__global__ void sweepPlanes(const float *coef, Strides strides, const float *p, float *next,
                            Grid grid) {
  __shared__ float tile[3][BY + 2][BX + 2];
  const int k0 = blockIdx.x * BX, j0 = blockIdx.y * BY, i0 = blockIdx.z * BZ;
  const std::size_t row = grid.kmax, up = row * grid.jmax;
  const int thread = threadIdx.y * BX + threadIdx.x;
  auto load = [&](int z) {
    for (int n = thread; n < (BY + 2) * (BX + 2); n += BX * BY) {
      const int y = n / (BX + 2), x = n % (BX + 2);
      const int j = min(j0 + y, grid.jmax - 1), k = min(k0 + x, grid.kmax - 1);
      tile[z % 3][y][x] = p[min(i0 + z, grid.imax - 1) * up + j * row + k];
    }
  };
  load(0);
  load(1);
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const int k = k0 + x, j = j0 + y;
  const bool inside = j < grid.jmax - 1 && k < grid.kmax - 1;
  for (int z = 1; z <= BZ && i0 + z < grid.imax - 1; ++z) {
    load(z + 1);
    __syncthreads();
    if (inside) {
      const int i = i0 + z, below = (z - 1) % 3;
      auto at = [&](int di, int dj, int dk) {
        const int plane = below + 1 + di;
        return tile[plane >= 3 ? plane - 3 : plane][y + dj][x + dk];
      };
      next[i * up + j * row + k] =
          relaxed(coef + i * strides.plane + j * row + k, strides.coefficient, at);
    }
    __syncthreads();
  }
}

__global__ void sweepDirect(const float *coef, Strides strides, const float *p, float *next,
                            Grid grid) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int i = blockIdx.z + 1;
  if (j >= grid.jmax - 1 || k >= grid.kmax - 1)
    return;
  const std::ptrdiff_t row = grid.kmax, up = row * grid.jmax;
  const float *centre = p + i * up + j * row + k;
  next[i * up + j * row + k] =
      relaxed(coef + i * strides.plane + j * row + k, strides.coefficient,
              [&](int di, int dj, int dk) { return centre[di * up + dj * row + dk]; });
}

// Laplace's equation on a sheared grid, so that no term of the kernel vanishes.
__global__ void fillCoefficients(float *coef, Strides strides, Grid grid) {
  const std::size_t plane = (std::size_t)grid.jmax * grid.kmax;
  for (std::size_t n = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; n < plane * grid.imax;
       n += (std::size_t)gridDim.x * blockDim.x)
    for (int c = 0; c < kCoefficients; ++c) {
      float value = 1.0f;
      if (c == 3)
        value = 1.0f / 6.0f;
      else if (c >= 4 && c <= 6)
        value = kMixed;
      else if (c == 10)
        value = 0.0f;
      coef[c * strides.coefficient + n / plane * strides.plane + n % plane] = value;
    }
}

__global__ void copy(const float4 *from, float4 *to, std::size_t count) {
  for (std::size_t n = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; n < count;
       n += (std::size_t)gridDim.x * blockDim.x)
    to[n] = from[n];
}

template <class Launch> float elapsedMs(int repeats, Launch launch) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  for (int n = 0; n < repeats; ++n)
    launch(n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

// Of up to 1 GiB each way; of small grids less, but more than a cache holds.
double copyGBs(std::size_t points) {
  const std::size_t count = std::min(std::size_t(1) << 26, 64 * points);
  float4 *from = nullptr, *to = nullptr;
  CHECK(cudaMalloc(&from, count * sizeof(float4)));
  CHECK(cudaMalloc(&to, count * sizeof(float4)));
  CHECK(cudaMemset(from, 0, count * sizeof(float4)));
  auto launch = [&](int) { copy<<<(int)(count / 256), 256>>>(from, to, count); };
  elapsedMs(2, launch);
  const float ms = elapsedMs(10, launch) / 10;
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  return 1e-6 * 2 * count * sizeof(float4) / ms;
}

// The same sweeps in double precision on the host.
std::vector<float> referenceSweeps(const std::vector<float> &start, const Grid &grid, int sweeps) {
  const std::size_t row = grid.kmax, up = row * grid.jmax;
  const std::size_t diagonals[3][2] = {{up, row}, {row, 1}, {up, 1}};
  std::vector<double> p(start.begin(), start.end()), next = p;
  for (int n = 0; n < sweeps; ++n) {
    for (int i = 1; i < grid.imax - 1; ++i)
      for (int j = 1; j < grid.jmax - 1; ++j)
        for (int k = 1; k < grid.kmax - 1; ++k) {
          const std::size_t at = i * up + j * row + k;
          double sum = p[at + up] + p[at - up] + p[at + row] + p[at - row] + p[at + 1] + p[at - 1];
          for (const auto &d : diagonals)
            sum += kMixed * (p[at + d[0] + d[1]] - p[at - d[0] + d[1]] - p[at + d[0] - d[1]] +
                             p[at - d[0] - d[1]]);
          next[at] = p[at] + kOmega * (sum / 6.0 - p[at]);
        }
    p.swap(next);
  }
  return {p.begin(), p.end()};
}

class Ladder {
public:
  Ladder(Grid grid, int sweeps)
      : grid_(grid), sweeps_(sweeps),
        copyGBs_(copyGBs((std::size_t)grid.imax * grid.jmax * grid.kmax)) {
    const std::size_t plane = (std::size_t)grid.jmax * grid.kmax;
    coefBytes_ = kCoefficients * grid.imax * (plane + kPad) * sizeof(float);
    for (int i = 0; i < grid.imax; ++i)
      start_.insert(start_.end(), plane,
                    (float)(i * i) / (float)((grid.imax - 1) * (grid.imax - 1)));
    if ((double)start_.size() * sweeps <= kComparable)
      expected_ = referenceSweeps(start_, grid, sweeps);
    std::printf("copy: %.1f GB/s; compared with %s\n", copyGBs_,
                expected_.empty() ? "the first variant" : "a serial computation");
    CHECK(cudaMalloc(&coef_, coefBytes_));
    for (float *&p : p_)
      CHECK(cudaMalloc(&p, start_.size() * sizeof(float)));
  }
  ~Ladder() {
    cudaFree(coef_);
    for (float *p : p_)
      cudaFree(p);
  }
  Ladder(const Ladder &) = delete;
  Ladder &operator=(const Ladder &) = delete;

  static constexpr double kComparable = 5e7; // updates: beyond, the host would take too long
  static constexpr std::size_t kPad = 12800 / sizeof(float);

  Strides separate() const {
    const std::size_t plane = (std::size_t)grid_.jmax * grid_.kmax;
    return {plane * grid_.imax, plane};
  }
  Strides interchanged(std::size_t pad) const {
    const std::size_t plane = (std::size_t)grid_.jmax * grid_.kmax + pad;
    return {plane, kCoefficients * plane};
  }

  template <class Kernel>
  void run(const char *name, Kernel kernel, int bx, int by, int bz, Strides strides) {
    fillCoefficients<<<4096, 256>>>(coef_, strides, grid_);
    for (float *p : p_)
      CHECK(cudaMemcpy(p, start_.data(), start_.size() * sizeof(float), cudaMemcpyHostToDevice));
    const dim3 threads(bx, by);
    const dim3 blocks((grid_.kmax - 2 + bx - 1) / bx, (grid_.jmax - 2 + by - 1) / by,
                      (grid_.imax - 2 + bz - 1) / bz);
    const float ms = elapsedMs(sweeps_, [&](int n) {
      kernel<<<blocks, threads>>>(coef_, strides, p_[n % 2], p_[(n + 1) % 2], grid_);
    });
    report(name, ms);
  }
  [[nodiscard]] bool good() const { return good_; }

private:
  void report(const char *name, float ms) {
    std::vector<float> result(start_.size());
    CHECK(cudaMemcpy(result.data(), p_[sweeps_ % 2], result.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    if (expected_.empty())
      expected_ = result;
    double worst = 0.0;
    for (std::size_t n = 0; n < result.size(); ++n) {
      double error = std::fabs(result[n] - expected_[n]);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
    good_ = good_ && worst < 1e-5;
    const double points = double(grid_.imax - 2) * (grid_.jmax - 2) * (grid_.kmax - 2);
    const double gbs = 1e-6 * points * 56 * sweeps_ / ms;
    std::printf("%-12s %10.4f ms %9.2f GFLOPS %8.1f GB/s %5.1f %% of copy  difference %.1e%s\n",
                name, ms, 1e-6 * points * 34 * sweeps_ / ms, gbs, 100.0 * gbs / copyGBs_, worst,
                worst < 1e-5 ? "" : " WRONG");
  }

  Grid grid_;
  int sweeps_;
  double copyGBs_;
  std::size_t coefBytes_ = 0;
  std::vector<float> start_, expected_;
  float *coef_ = nullptr;
  float *p_[2] = {nullptr, nullptr};
  bool good_ = true;
};

int main(int argc, char **argv) {
  Grid grid = {128, 128, 256};
  int sweeps = 100;
  const struct {
    const char *name;
    Grid grid;
  } sizes[] = {{"XS", {32, 32, 64}},
               {"S", {64, 64, 128}},
               {"M", {128, 128, 256}},
               {"L", {256, 256, 512}},
               {"XL", {512, 512, 1024}}};
  for (int i = 1; i < argc; ++i) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    bool known = std::strcmp(argv[i], "--sweeps") == 0 && std::atoi(value) > 0;
    if (known)
      sweeps = std::atoi(value);
    if (std::strcmp(argv[i], "--size") == 0)
      for (const auto &size : sizes)
        if (std::strcmp(value, size.name) == 0) {
          grid = size.grid;
          known = true;
        }
    if (!known) {
      std::fprintf(stderr, "usage: %s [--size XS|S|M|L|XL] [--sweeps N]\n", argv[0]);
      return 2;
    }
    ++i;
  }
  Ladder ladder(grid, sweeps);
  const std::size_t pad = Ladder::kPad;
  ladder.run("base", sweepBlock<16, 16, 8, false>, 16, 16, 8, ladder.separate());
  ladder.run("syncs", sweepBlock<16, 16, 8, true>, 16, 16, 8, ladder.separate());
  ladder.run("interchange", sweepBlock<16, 16, 8, true>, 16, 16, 8, ladder.interchanged(0));
  ladder.run("shape", sweepBlock<64, 4, 8, true>, 64, 4, 8, ladder.interchanged(0));
  ladder.run("plane", sweepPlanes<64, 4, 8>, 64, 4, 8, ladder.interchanged(0));
  ladder.run("threads", sweepPlanes<64, 4, 64>, 64, 4, 64, ladder.interchanged(0));
  ladder.run("padding", sweepPlanes<64, 4, 64>, 64, 4, 64, ladder.interchanged(pad));
  ladder.run("direct", sweepDirect, 64, 4, 1, ladder.separate());
  ladder.run("direct-tiled", sweepDirect, 64, 4, 1, ladder.interchanged(0));
  ladder.run("direct-pad", sweepDirect, 64, 4, 1, ladder.interchanged(pad));
  return ladder.good() ? 0 : 1;
}
