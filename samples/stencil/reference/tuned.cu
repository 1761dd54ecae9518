// SPDX-License-Identifier: Apache-2.0
// The propagation of ../stencil.cu tuned by hand: an orbital lies in shared memory while the
// Hamiltonian is applied to it. Solves the sample's problem and checks it. See ../README.md.
#include <cmath>
#include <complex>
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

const int kEdge = 16;
const int kPlane = kEdge * kEdge;
const int kPoints = kEdge * kPlane;
const double kSpacing = 0.5;   // bohr
const double kTimeStep = 0.02; // atomic units
const int kOrders = 4;         // of the Taylor series

// Weights of the points 0 to 4 away, for unit spacing.
__host__ __device__ constexpr double secondWeight(int d) {
  const double weights[5] = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  return weights[d];
}
__host__ __device__ constexpr double firstWeight(int d) {
  const double weights[5] = {0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  return weights[d];
}

// What the Hamiltonian is made of, beside the wave functions.
struct Crystal {
  const double *potential;
  const double3 *waves;
};

__device__ inline int indexOf(int x, int y, int z) { return (x * kEdge + y) * kEdge + z; }
__device__ inline int wrapped(int coordinate) { return coordinate & (kEdge - 1); }

// Adds what the pair of values d away on either side, along an axis with wave vector k, gives.
__device__ inline void addPair(double2 &sum, double2 plus, double2 minus, int d, double k) {
  const double half = -0.5 / (kSpacing * kSpacing) * secondWeight(d);
  const double slope = k * firstWeight(d) / kSpacing;
  sum.x += half * (plus.x + minus.x) + slope * (plus.y - minus.y);
  sum.y += half * (plus.y + minus.y) - slope * (plus.x - minus.x);
}

// Walks a thread's points (x0 ... x0 + kCount - 1, y, z) with nine values along x in registers, and
// hands -i factor H term of each to use(n, index, value).
template <int kCount, class Use>
__device__ inline void applyAlong(const double2 *term, Crystal crystal, double factor, int x0,
                                  int y, int z, Use use) {
  const double3 k = crystal.waves[blockIdx.x];
  const double centre =
      0.5 * (k.x * k.x + k.y * k.y + k.z * k.z) - 1.5 / (kSpacing * kSpacing) * secondWeight(0);
  double2 window[9];
#pragma unroll
  for (int n = 0; n < 8; ++n)
    window[n + 1] = term[indexOf(wrapped(x0 + n - 4), y, z)];
#pragma unroll
  for (int n = 0; n < kCount; ++n) {
    const int x = x0 + n, at = indexOf(x, y, z);
#pragma unroll
    for (int m = 0; m < 8; ++m)
      window[m] = window[m + 1];
    window[8] = term[indexOf(wrapped(x + 4), y, z)];
    const double local = crystal.potential[at] + centre;
    double2 sum = make_double2(local * window[4].x, local * window[4].y);
#pragma unroll
    for (int d = 1; d <= 4; ++d) {
      addPair(sum, window[4 + d], window[4 - d], d, k.x);
      addPair(sum, term[indexOf(x, wrapped(y + d), z)], term[indexOf(x, wrapped(y - d), z)], d,
              k.y);
      addPair(sum, term[indexOf(x, y, wrapped(z + d))], term[indexOf(x, y, wrapped(z - d))], d,
              k.z);
    }
    use(n, at, make_double2(factor * sum.y, -factor * sum.x));
  }
}

// One term of the series a launch. The first is made from psi itself.
__global__ void __launch_bounds__(kPlane, 2)
    addTerm(const double2 *terms, Crystal crystal, double factor, double2 *nexts, double2 *psis) {
  extern __shared__ double2 values[];
  const std::size_t first = (std::size_t)blockIdx.x * kPoints;
  for (int at = threadIdx.x; at < kPoints; at += kPlane)
    values[at] = terms[first + at];
  __syncthreads();
  applyAlong<kEdge>(values, crystal, factor, 0, threadIdx.x / kEdge, threadIdx.x % kEdge,
                    [&](int, int at, double2 value) {
                      nexts[first + at] = value;
                      double2 psi = psis[first + at];
                      psi.x += value.x;
                      psi.y += value.y;
                      psis[first + at] = psi;
                    });
}

const int kHalf = kEdge / 2; // points of a thread below

// A whole time step a launch: terms go to and fro between two halves of shared memory, psi stays
// in registers, and global memory is read and written once.
__global__ void __launch_bounds__(2 * kPlane) takeStep(double2 *psis, Crystal crystal) {
  extern __shared__ double2 values[];
  double2 *term = values, *next = values + kPoints;
  const std::size_t first = (std::size_t)blockIdx.x * kPoints;
  const int x0 = threadIdx.x / kPlane * kHalf;
  const int y = threadIdx.x % kPlane / kEdge, z = threadIdx.x % kEdge;
  double2 psi[kHalf];
#pragma unroll
  for (int n = 0; n < kHalf; ++n)
    term[indexOf(x0 + n, y, z)] = psi[n] = psis[first + indexOf(x0 + n, y, z)];
  for (int order = 1; order <= kOrders; ++order) {
    __syncthreads();
    applyAlong<kHalf>(term, crystal, kTimeStep / order, x0, y, z,
                      [&](int n, int at, double2 value) {
                        next[at] = value;
                        psi[n].x += value.x;
                        psi[n].y += value.y;
                      });
    double2 *swap = term;
    term = next;
    next = swap;
  }
#pragma unroll
  for (int n = 0; n < kHalf; ++n)
    psis[first + indexOf(x0 + n, y, z)] = psi[n];
}

using Values = std::vector<std::complex<double>>;

struct Problem {
  std::vector<double> potential; // hartree
  std::vector<double3> waves;    // 1/bohr
  Values psis;
};

// As in ../stencil.cu: a smooth periodic potential, orbitals of a few plane waves each.
Problem makeProblem(int orbitals, unsigned seed) {
  const double angle = 6.283185307179586 / kEdge;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Problem problem;
  for (int x = 0; x < kEdge; ++x)
    for (int y = 0; y < kEdge; ++y)
      for (int z = 0; z < kEdge; ++z)
        problem.potential.push_back(
            -0.5 * (std::cos(angle * x) + std::cos(angle * y) * std::cos(angle * z)));
  std::complex<double> turn[kEdge];
  for (int n = 0; n < kEdge; ++n)
    turn[n] = std::polar(1.0, angle * n);
  problem.psis.reserve((std::size_t)orbitals * kPoints);
  for (int orbital = 0; orbital < orbitals; ++orbital) {
    const double kx = 0.2 * unit(random), ky = 0.2 * unit(random), kz = 0.2 * unit(random);
    problem.waves.push_back(make_double3(kx, ky, kz));
    std::complex<double> amplitudes[4];
    int modes[4][3];
    double norm = 0.0;
    for (int n = 0; n < 4; ++n) {
      const double re = unit(random), im = unit(random);
      amplitudes[n] = {re, im};
      norm += std::norm(amplitudes[n]);
      for (int &mode : modes[n])
        mode = (int)(random() % 5) - 2;
      modes[n][0] = n - 2;
    }
    for (int at = 0; at < kPoints; ++at) {
      const int x = at / kPlane, y = at / kEdge % kEdge, z = at % kEdge;
      std::complex<double> value = 0.0;
      for (int n = 0; n < 4; ++n)
        value += amplitudes[n] *
                 turn[(modes[n][0] * x + modes[n][1] * y + modes[n][2] * z) & (kEdge - 1)];
      problem.psis.push_back(value / std::sqrt(norm * kPoints));
    }
  }
  return problem;
}

// H psi of one orbital on the host, axis by axis.
Values referenceHamiltonian(const Values &psi, const std::vector<double> &potential, double3 wave) {
  const double k[3] = {wave.x, wave.y, wave.z};
  Values result(kPoints);
  for (int at = 0; at < kPoints; ++at) {
    std::complex<double> sum = potential[at] * psi[at];
    for (int axis = 0; axis < 3; ++axis) {
      const int stride = axis == 0 ? kPlane : axis == 1 ? kEdge : 1;
      const int coordinate = at / stride % kEdge;
      sum += 0.5 * k[axis] * k[axis] * psi[at];
      for (int d = -4; d <= 4; ++d) {
        const int away = std::abs(d);
        sum += psi[at + ((coordinate + d + kEdge) % kEdge - coordinate) * stride] *
               std::complex<double>(-0.5 * secondWeight(away) / (kSpacing * kSpacing),
                                    (d < 0 ? 1.0 : -1.0) * k[axis] * firstWeight(away) / kSpacing);
      }
    }
    result[at] = sum;
  }
  return result;
}

// Of the first few orbitals, against the series on the host.
double largestError(const Problem &problem, const std::vector<double2> &psis, int steps) {
  double worst = 0.0;
  for (std::size_t orbital = 0; orbital < problem.waves.size() && orbital < 4; ++orbital) {
    const auto first = problem.psis.begin() + orbital * kPoints;
    Values psi(first, first + kPoints);
    for (int step = 0; step < steps; ++step) {
      Values term = psi;
      for (int order = 1; order <= kOrders; ++order) {
        term = referenceHamiltonian(term, problem.potential, problem.waves[orbital]);
        for (int at = 0; at < kPoints; ++at) {
          term[at] *= std::complex<double>(0.0, -kTimeStep / order);
          psi[at] += term[at];
        }
      }
    }
    for (int at = 0; at < kPoints; ++at) {
      const double2 value = psis[orbital * kPoints + at];
      const double error = std::abs(psi[at] - std::complex<double>(value.x, value.y));
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
  }
  return worst;
}

template <class T> T *allocate(std::size_t count) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, count * sizeof(T)));
  return device;
}

int main(int argc, char **argv) {
  int orbitals = 8, steps = 1;
  unsigned seed = 1;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--orbitals") == 0)
      orbitals = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--orbitals N] [--steps N] [--seed N]\n", argv[0]);
      return 2;
    }
  }
  const Problem problem = makeProblem(orbitals, seed);
  const std::size_t count = problem.psis.size(), bytes = count * sizeof(double2);
  double2 *psis = allocate<double2>(count), *terms = allocate<double2>(count);
  double2 *nexts = allocate<double2>(count);
  double *potential = allocate<double>(kPoints);
  double3 *waves = allocate<double3>(orbitals);
  CHECK(cudaMemcpy(potential, problem.potential.data(), kPoints * sizeof(double),
                   cudaMemcpyHostToDevice));
  CHECK(
      cudaMemcpy(waves, problem.waves.data(), orbitals * sizeof(double3), cudaMemcpyHostToDevice));
  const Crystal crystal = {potential, waves};
  const int orbitalBytes = kPoints * sizeof(double2);
  CHECK(cudaFuncSetAttribute(addTerm, cudaFuncAttributeMaxDynamicSharedMemorySize, orbitalBytes));
  CHECK(cudaFuncSetAttribute(takeStep, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             2 * orbitalBytes));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::printf("%d orbitals, %d steps\n", orbitals, steps);
  bool good = true;
  auto run = [&](const char *name, auto step) {
    step(); // loads the kernel
    CHECK(cudaMemcpy(psis, problem.psis.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(start));
    for (int n = 0; n < steps; ++n)
      step();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    std::vector<double2> result(count);
    CHECK(cudaMemcpy(result.data(), psis, bytes, cudaMemcpyDeviceToHost));
    const double worst = largestError(problem, result, steps);
    const bool right = worst < 1e-13 * steps;
    good = good && right;
    std::printf("%-6s kernel time: %.4f ms, %.2f GFLOPS, largest error %.1e: %s\n", name, ms,
                1e-6 * 147 * count * kOrders * steps / ms, worst, right ? "ok" : "WRONG");
  };
  run("terms", [&] {
    for (int order = 1; order <= kOrders; ++order)
      addTerm<<<orbitals, kPlane, orbitalBytes>>>(order == 1  ? psis
                                                  : order % 2 ? terms
                                                              : nexts,
                                                  crystal, kTimeStep / order,
                                                  order % 2 ? nexts : terms, psis);
  });
  run("steps", [&] { takeStep<<<orbitals, 2 * kPlane, 2 * orbitalBytes>>>(psis, crystal); });
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(psis));
  CHECK(cudaFree(terms));
  CHECK(cudaFree(nexts));
  CHECK(cudaFree(potential));
  CHECK(cudaFree(waves));
  return good ? 0 : 1;
}
