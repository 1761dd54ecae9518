// SPDX-License-Identifier: Apache-2.0
// A decaying flow by the lattice Boltzmann method, D3Q19 in a periodic box. See README.md.
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

__host__ __device__ inline double equilibrium(int q, double density, double ux, double uy,
                                              double uz) {
  const double along = directionX(q) * ux + directionY(q) * uy + directionZ(q) * uz;
  return weight(q) * density *
         (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy + uz * uz));
}

// Streaming and collision (BGK). A thread has a cell and pulls from its neighbours.
__global__ void step(const double *f, double *next, int nx, int ny, int nz, double omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y, z = blockIdx.z;
  if (x >= nx)
    return;
  double arriving[Q];
  double density = 0.0, ux = 0.0, uy = 0.0, uz = 0.0;
#pragma unroll
  for (int q = 0; q < Q; ++q) {
    const int fromX = wrapped(x - directionX(q), nx);
    const int fromY = wrapped(y - directionY(q), ny);
    const int fromZ = wrapped(z - directionZ(q), nz);
    const int from = (fromZ * ny + fromY) * nx + fromX;
    arriving[q] = f[from * Q + q];
    density += arriving[q];
    ux += directionX(q) * arriving[q];
    uy += directionY(q) * arriving[q];
    uz += directionZ(q) * arriving[q];
  }
  ux /= density;
  uy /= density;
  uz /= density;
  const int cell = (z * ny + y) * nx + x;
#pragma unroll
  for (int q = 0; q < Q; ++q)
    next[cell * Q + q] = arriving[q] + omega * (equilibrium(q, density, ux, uy, uz) - arriving[q]);
}

struct Options {
  int nx = 20, ny = 12, nz = 8;
  int steps = 3;
  bool check = false;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      options.check = true;
      continue;
    }
    int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 1 && std::strcmp(argv[i], "--nx") == 0)
      options.nx = value;
    else if (value > 1 && std::strcmp(argv[i], "--ny") == 0)
      options.ny = value;
    else if (value > 1 && std::strcmp(argv[i], "--nz") == 0)
      options.nz = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else {
      std::fprintf(stderr, "usage: %s [--nx N] [--ny N] [--nz N] [--steps N] [--check]\n", argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

// Vortices along z whose speed varies with height, at rest in equilibrium.
std::vector<double> makeFlow(int nx, int ny, int nz) {
  const double turn = 6.283185307179586, speed = 0.05;
  std::vector<double> f;
  f.reserve((std::size_t)nx * ny * nz * Q);
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        const double height = 1.0 + 0.5 * std::cos(turn * z / nz);
        const double ux = speed * height * std::sin(turn * x / nx) * std::cos(turn * y / ny);
        const double uy = -speed * height * std::cos(turn * x / nx) * std::sin(turn * y / ny);
        const double uz = 0.3 * speed * std::sin(turn * (x + 0.5) / nx);
        for (int q = 0; q < Q; ++q)
          f.push_back(equilibrium(q, 1.0, ux, uy, uz));
      }
    }
  }
  return f;
}

// A step the other way about: each cell collides and pushes to its neighbours. It begins and ends
// half a step away from the kernel's.
void pushStep(const std::vector<double> &f, std::vector<double> &next, const Options &options,
              double omega, bool collides) {
  const int nx = options.nx, ny = options.ny, nz = options.nz;
  for (int cell = 0; cell < nx * ny * nz; ++cell) {
    const double *own = &f[(std::size_t)cell * Q];
    double density = 0.0, flow[3] = {0.0, 0.0, 0.0};
    for (int q = 0; q < Q; ++q) {
      density += own[q];
      flow[0] += directionX(q) * own[q];
      flow[1] += directionY(q) * own[q];
      flow[2] += directionZ(q) * own[q];
    }
    const int x = cell % nx, y = cell / nx % ny, z = cell / nx / ny;
    for (int q = 0; q < Q; ++q) {
      const double target =
          equilibrium(q, density, flow[0] / density, flow[1] / density, flow[2] / density);
      const double leaving = collides ? (1.0 - omega) * own[q] + omega * target : own[q];
      const int toX = (x + directionX(q) + nx) % nx, toY = (y + directionY(q) + ny) % ny,
                toZ = (z + directionZ(q) + nz) % nz;
      next[(((std::size_t)toZ * ny + toY) * nx + toX) * Q + q] = leaving;
    }
  }
}

// The kernel streams and then collides; serially: stream once, then collide and stream in turn, and
// compare what the last collision would have been streamed to.
bool agreesWithReference(const Options &options, const std::vector<double> &result, double omega) {
  std::vector<double> f = makeFlow(options.nx, options.ny, options.nz), next(f.size());
  pushStep(f, next, options, omega, false);
  f.swap(next);
  for (int n = 0; n < options.steps; ++n) {
    pushStep(f, next, options, omega, true);
    f.swap(next);
  }
  pushStep(result, next, options, omega, false);
  double worst = 0.0, mass = 0.0;
  for (std::size_t at = 0; at < f.size(); ++at) {
    const double error = std::fabs(next[at] - f[at]);
    if (!(error <= worst)) // also true for NaN
      worst = error;
    mass += result[at];
  }
  const double cells = (double)(result.size() / Q);
  const bool good = worst < 1e-14 * (options.steps + 10) && std::fabs(mass / cells - 1.0) < 1e-10;
  std::printf("check: largest difference from the reference %.1e, mass of a cell %.12f: %s\n",
              worst, mass / cells, good ? "ok" : "WRONG");
  return good;
}

// Mean of u^2 / 2 over all cells.
double kineticEnergy(const std::vector<double> &f) {
  double energy = 0.0;
  for (std::size_t first = 0; first < f.size(); first += Q) {
    double density = 0.0, flow[3] = {0.0, 0.0, 0.0};
    for (int q = 0; q < Q; ++q) {
      density += f[first + q];
      flow[0] += directionX(q) * f[first + q];
      flow[1] += directionY(q) * f[first + q];
      flow[2] += directionZ(q) * f[first + q];
    }
    energy += 0.5 * (flow[0] * flow[0] + flow[1] * flow[1] + flow[2] * flow[2]) / density;
  }
  return energy / (double)(f.size() / Q);
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const int nx = options.nx, ny = options.ny, nz = options.nz;
  const double omega = 1.6; // relaxation a step
  std::vector<double> f = makeFlow(nx, ny, nz);
  const std::size_t bytes = f.size() * sizeof(double);

  double *deviceF = nullptr, *deviceNext = nullptr;
  CHECK(cudaMalloc(&deviceF, bytes));
  CHECK(cudaMalloc(&deviceNext, bytes));
  CHECK(cudaMemcpy(deviceF, f.data(), bytes, cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const dim3 blocks((nx + kThreads - 1) / kThreads, ny, nz);
  CHECK(cudaEventRecord(start));
  for (int n = 0; n < options.steps; ++n) {
    step<<<blocks, kThreads>>>(deviceF, deviceNext, nx, ny, nz, omega);
    std::swap(deviceF, deviceNext);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(f.data(), deviceF, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceF));
  CHECK(cudaFree(deviceNext));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  const double updates = (double)nx * ny * nz * options.steps;
  std::printf("%d x %d x %d cells, %d steps: kinetic energy %.9f (10^-3)\n", nx, ny, nz,
              options.steps, 1e3 * kineticEnergy(f));
  std::printf("kernel time: %.4f ms, %.1f M updates/s, %.1f useful GB/s\n", elapsedMs,
              1e-3 * updates / elapsedMs, 1e-6 * 2 * Q * sizeof(double) * updates / elapsedMs);
  return options.check && !agreesWithReference(options, f, omega) ? 1 : 0;
}
