// SPDX-License-Identifier: Apache-2.0
// Gravitational acceleration tuned by hand in three steps, after Narumi, Hamada and Konishi.
// See ../README.md for the steps.
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

const float kSoftening2 = 1e-4f;
const int kTile = 128; // bodies a block holds in shared memory, and threads of a block

// The bodies as attracted: each thread reads its own.
struct Targets {
  const float *x, *y, *z;
  float *ax, *ay, *az;
};

__device__ inline void attract(float4 source, float x, float y, float z, float3 &sum) {
  float dx = source.x - x, dy = source.y - y, dz = source.z - z;
  float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening2);
  float pull = source.w * inverse * inverse * inverse;
  sum.x += pull * dx;
  sum.y += pull * dy;
  sum.z += pull * dz;
}

__global__ void accelerate(const float4 *sources, Targets targets, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const float x = targets.x[i], y = targets.y[i], z = targets.z[i];
  float3 sum = {0.0f, 0.0f, 0.0f};
#pragma unroll 1
  for (int j = 0; j < count; ++j)
    attract(sources[j], x, y, z, sum);
  targets.ax[i] = sum.x;
  targets.ay[i] = sum.y;
  targets.az[i] = sum.z;
}

// count is a multiple of kTile here: the caller pads with bodies of no mass.
template <int Unroll>
__global__ void accelerateByTiles(const float4 *sources, Targets targets, int count) {
  __shared__ float4 tile[kTile];
  int i = blockIdx.x * kTile + threadIdx.x;
  const float x = targets.x[i], y = targets.y[i], z = targets.z[i];
  float3 sum = {0.0f, 0.0f, 0.0f};
  for (int first = 0; first < count; first += kTile) {
    __syncthreads();
    tile[threadIdx.x] = sources[first + threadIdx.x];
    __syncthreads();
#pragma unroll Unroll
    for (int j = 0; j < kTile; ++j)
      attract(tile[j], x, y, z, sum);
  }
  targets.ax[i] = sum.x;
  targets.ay[i] = sum.y;
  targets.az[i] = sum.z;
}

struct Arrays {
  explicit Arrays(std::size_t count) : count(count) {
    CHECK(cudaMalloc(&sources, count * sizeof(float4)));
    for (float *&value : values)
      CHECK(cudaMalloc(&value, count * sizeof(float)));
  }
  ~Arrays() {
    cudaFree(sources);
    for (float *value : values)
      cudaFree(value);
  }
  Arrays(const Arrays &) = delete;
  Arrays &operator=(const Arrays &) = delete;
  [[nodiscard]] Targets targets() const {
    return {values[0], values[1], values[2], values[3], values[4], values[5]};
  }
  std::size_t count;
  float4 *sources = nullptr;
  float *values[6] = {};
};

double largestError(const std::vector<float4> &bodies, const std::vector<float> *result,
                    int count) {
  double worst = 0.0;
  const int stride = count / 64 + 1;
  for (int i = 0; i < count; i += stride) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (int j = 0; j < count; ++j) {
      double d[3] = {double(bodies[j].x) - bodies[i].x, double(bodies[j].y) - bodies[i].y,
                     double(bodies[j].z) - bodies[i].z};
      double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + kSoftening2;
      for (int axis = 0; axis < 3; ++axis)
        sum[axis] += bodies[j].w * d[axis] / (r2 * std::sqrt(r2));
    }
    for (int axis = 0; axis < 3; ++axis) {
      double error = std::fabs(result[axis][i] - sum[axis]);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
  }
  return worst;
}

int main(int argc, char **argv) {
  int count = 65536, repeats = 5;
  for (int i = 1; i < argc; i += 2) {
    int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 1 && std::strcmp(argv[i], "--bodies") == 0)
      count = value;
    else if (value > 0 && std::strcmp(argv[i], "--repeats") == 0)
      repeats = value;
    else {
      std::fprintf(stderr, "usage: %s [--bodies N] [--repeats N]\n", argv[0]);
      return 2;
    }
  }
  const int padded = (count + kTile - 1) / kTile * kTile;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float4> bodies(padded, make_float4(0.0f, 0.0f, 0.0f, 0.0f));
  for (int i = 0; i < count; ++i)
    bodies[i] = make_float4(normal(random), normal(random), normal(random), 1.0f / count);

  Arrays arrays(padded);
  CHECK(cudaMemcpy(arrays.sources, bodies.data(), padded * sizeof(float4), cudaMemcpyHostToDevice));
  std::vector<float> column(padded);
  for (int axis = 0; axis < 3; ++axis) {
    for (int i = 0; i < padded; ++i)
      column[i] = axis == 0 ? bodies[i].x : axis == 1 ? bodies[i].y : bodies[i].z;
    CHECK(cudaMemcpy(arrays.values[axis], column.data(), padded * sizeof(float),
                     cudaMemcpyHostToDevice));
  }

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  bool good = true;
  auto run = [&](const char *name, auto kernel) {
    kernel<<<padded / kTile, kTile>>>(arrays.sources, arrays.targets(), padded);
    CHECK(cudaEventRecord(start));
    for (int n = 0; n < repeats; ++n)
      kernel<<<padded / kTile, kTile>>>(arrays.sources, arrays.targets(), padded);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    ms /= repeats;
    std::vector<float> result[3];
    for (int axis = 0; axis < 3; ++axis) {
      result[axis].resize(padded);
      CHECK(cudaMemcpy(result[axis].data(), arrays.values[3 + axis], padded * sizeof(float),
                       cudaMemcpyDeviceToHost));
    }
    const double worst = largestError(bodies, result, count);
    const bool right = worst < 1e-3;
    good = good && right;
    std::printf("%-10s %10.4f ms %10.2f GFLOPS  largest error %.1e: %s\n", name, ms,
                1e-6 * 38 * double(count) * count / ms, worst, right ? "ok" : "WRONG");
  };
  std::printf("%d bodies\n", count);
  run("plain", accelerate);
  run("tiles", accelerateByTiles<1>);
  run("unrolled", accelerateByTiles<kTile>);
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return good ? 0 : 1;
}
