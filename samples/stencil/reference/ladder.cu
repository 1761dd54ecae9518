// SPDX-License-Identifier: Apache-2.0
// The 25-point Hamiltonian tuned by hand, step by step, after Hirokawa and others.
// See ../README.md for the steps.
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
const int kPoints = kEdge * kEdge * kEdge;
const int kThreads = 128;
const double kSpacing = 0.5; // bohr

// Weights of the points 0 to 4 away, for unit spacing.
__host__ __device__ constexpr double secondWeight(int d) {
  const double weights[5] = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  return weights[d];
}
__host__ __device__ constexpr double firstWeight(int d) {
  const double weights[5] = {0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  return weights[d];
}

// Complex numbers side by side, or real parts before imaginary parts.
struct Interleaved {
  double2 *values;
  std::size_t count;
  __device__ double2 load(std::size_t at) const { return values[at]; }
  __device__ void store(std::size_t at, double2 value) const { values[at] = value; }
};
struct Planes {
  double *values;
  std::size_t count;
  __device__ double2 load(std::size_t at) const {
    return make_double2(values[at], values[count + at]);
  }
  __device__ void store(std::size_t at, double2 value) const {
    values[at] = value.x;
    values[count + at] = value.y;
  }
};

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

__device__ inline double centreWeight(double3 k) {
  return 0.5 * (k.x * k.x + k.y * k.y + k.z * k.z) - 1.5 / (kSpacing * kSpacing) * secondWeight(0);
}

template <class Wave> __device__ inline void applyStraight(Wave psi, Crystal crystal, Wave result) {
  const std::size_t first = (std::size_t)blockIdx.x * kPoints;
  const double3 k = crystal.waves[blockIdx.x];
  for (int column = threadIdx.x; column < kEdge * kEdge; column += kThreads) {
    const int x = column / kEdge, y = column % kEdge;
    for (int z = 0; z < kEdge; ++z) {
      const int at = indexOf(x, y, z);
      const double2 here = psi.load(first + at);
      const double local = crystal.potential[at] + centreWeight(k);
      double2 sum = make_double2(local * here.x, local * here.y);
#pragma unroll
      for (int d = 1; d <= 4; ++d) {
        addPair(sum, psi.load(first + indexOf(wrapped(x + d), y, z)),
                psi.load(first + indexOf(wrapped(x - d), y, z)), d, k.x);
        addPair(sum, psi.load(first + indexOf(x, wrapped(y + d), z)),
                psi.load(first + indexOf(x, wrapped(y - d), z)), d, k.y);
        addPair(sum, psi.load(first + indexOf(x, y, wrapped(z + d))),
                psi.load(first + indexOf(x, y, wrapped(z - d))), d, k.z);
      }
      result.store(first + at, sum);
    }
  }
}

template <class Wave> __global__ void straight(Wave psi, Crystal crystal, Wave result) {
  applyStraight(psi, crystal, result);
}

template <class Wave>
__global__ void __launch_bounds__(kThreads, 4) bounds(Wave psi, Crystal crystal, Wave result) {
  applyStraight(psi, crystal, result);
}

// Each value is read once and scattered to the sums of the nine points it matters to.
template <class Wave>
__global__ void __launch_bounds__(kThreads) passX(Wave psi, Crystal crystal, Wave result) {
  const std::size_t first = (std::size_t)blockIdx.x * kPoints;
  const double k = crystal.waves[blockIdx.x].x;
  for (int column = threadIdx.x; column < kEdge * kEdge; column += kThreads) {
    double2 sums[kEdge] = {};
#pragma unroll
    for (int x = 0; x < kEdge; ++x) {
      const double2 value = psi.load(first + x * kEdge * kEdge + column);
#pragma unroll
      for (int d = 1; d <= 4; ++d) {
        addPair(sums[(x + kEdge - d) % kEdge], value, make_double2(0.0, 0.0), d, k);
        addPair(sums[(x + d) % kEdge], make_double2(0.0, 0.0), value, d, k);
      }
    }
#pragma unroll
    for (int x = 0; x < kEdge; ++x)
      result.store(first + x * kEdge * kEdge + column, sums[x]);
  }
}

// Adds to the x pass. Nine values along y stay in registers; neighbours along z are other lanes'
// and come from the cache.
template <class Wave>
__global__ void __launch_bounds__(kThreads) passYZ(Wave psi, Crystal crystal, Wave result) {
  const std::size_t first = (std::size_t)blockIdx.x * kPoints;
  const double3 k = crystal.waves[blockIdx.x];
  for (int column = threadIdx.x; column < kEdge * kEdge; column += kThreads) {
    const int x = column / kEdge, z = column % kEdge;
    double2 window[9];
#pragma unroll
    for (int n = 0; n < 8; ++n)
      window[n + 1] = psi.load(first + indexOf(x, wrapped(n - 4), z));
#pragma unroll
    for (int y = 0; y < kEdge; ++y) {
#pragma unroll
      for (int n = 0; n < 8; ++n)
        window[n] = window[n + 1];
      window[8] = psi.load(first + indexOf(x, wrapped(y + 4), z));
      const int at = indexOf(x, y, z);
      const double local = crystal.potential[at] + centreWeight(k);
      double2 sum = result.load(first + at);
      sum.x += local * window[4].x;
      sum.y += local * window[4].y;
#pragma unroll
      for (int d = 1; d <= 4; ++d) {
        addPair(sum, window[4 + d], window[4 - d], d, k.y);
        addPair(sum, psi.load(first + indexOf(x, y, wrapped(z + d))),
                psi.load(first + indexOf(x, y, wrapped(z - d))), d, k.z);
      }
      result.store(first + at, sum);
    }
  }
}

// A whole orbital in shared memory: one pass over global memory. Nine values along x stay in
// registers.
template <class Wave>
__global__ void __launch_bounds__(kEdge *kEdge, 2)
    inShared(Wave psi, Crystal crystal, Wave result) {
  extern __shared__ double2 values[];
  const std::size_t first = (std::size_t)blockIdx.x * kPoints;
  const double3 k = crystal.waves[blockIdx.x];
  for (int at = threadIdx.x; at < kPoints; at += kEdge * kEdge)
    values[at] = psi.load(first + at);
  __syncthreads();
  const int y = threadIdx.x / kEdge, z = threadIdx.x % kEdge;
  double2 window[9];
#pragma unroll
  for (int n = 0; n < 8; ++n)
    window[n + 1] = values[indexOf(wrapped(n - 4), y, z)];
#pragma unroll 1
  for (int x = 0; x < kEdge; ++x) {
#pragma unroll
    for (int n = 0; n < 8; ++n)
      window[n] = window[n + 1];
    window[8] = values[indexOf(wrapped(x + 4), y, z)];
    const int at = indexOf(x, y, z);
    const double local = crystal.potential[at] + centreWeight(k);
    double2 sum = make_double2(local * window[4].x, local * window[4].y);
#pragma unroll
    for (int d = 1; d <= 4; ++d) {
      addPair(sum, window[4 + d], window[4 - d], d, k.x);
      addPair(sum, values[indexOf(x, wrapped(y + d), z)], values[indexOf(x, wrapped(y - d), z)], d,
              k.y);
      addPair(sum, values[indexOf(x, y, wrapped(z + d))], values[indexOf(x, y, wrapped(z - d))], d,
              k.z);
    }
    result.store(first + at, sum);
  }
}

using Values = std::vector<std::complex<double>>;

struct Problem {
  std::vector<double> potential;
  std::vector<double3> waves;
  Values psi;
};

Problem makeProblem(int orbitals) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Problem problem;
  for (int n = 0; n < kPoints; ++n)
    problem.potential.push_back(unit(random));
  for (int n = 0; n < orbitals; ++n)
    problem.waves.push_back(make_double3(unit(random), unit(random), unit(random)));
  for (std::size_t n = 0; n < (std::size_t)orbitals * kPoints; ++n)
    problem.psi.emplace_back(unit(random), unit(random));
  return problem;
}

// The first orbital's H psi on the host, axis by axis.
double largestError(const Problem &problem, const Values &result) {
  const double3 wave = problem.waves[0];
  const double k[3] = {wave.x, wave.y, wave.z};
  double worst = 0.0;
  for (int at = 0; at < kPoints; ++at) {
    std::complex<double> sum = problem.potential[at] * problem.psi[at];
    for (int axis = 0; axis < 3; ++axis) {
      const int stride = axis == 0 ? kEdge * kEdge : axis == 1 ? kEdge : 1;
      const int coordinate = at / stride % kEdge;
      sum += 0.5 * k[axis] * k[axis] * problem.psi[at];
      for (int d = -4; d <= 4; ++d) {
        const int other = at + ((coordinate + d + kEdge) % kEdge - coordinate) * stride;
        const int away = std::abs(d);
        sum += problem.psi[other] *
               std::complex<double>(-0.5 * secondWeight(away) / (kSpacing * kSpacing),
                                    (d < 0 ? 1.0 : -1.0) * k[axis] * firstWeight(away) / kSpacing);
      }
    }
    const double error = std::abs(sum - result[at]);
    if (!(error <= worst)) // also true for NaN
      worst = error;
  }
  return worst;
}

class Ladder {
public:
  Ladder(int orbitals, int repeats)
      : orbitals_(orbitals), repeats_(repeats), problem_(makeProblem(orbitals)) {
    const std::size_t bytes = problem_.psi.size() * sizeof(double2);
    CHECK(cudaMalloc(&psi_, bytes));
    CHECK(cudaMalloc(&result_, bytes));
    CHECK(cudaMalloc(&potential_, kPoints * sizeof(double)));
    CHECK(cudaMalloc(&waves_, orbitals * sizeof(double3)));
    CHECK(cudaMemcpy(potential_, problem_.potential.data(), kPoints * sizeof(double),
                     cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(waves_, problem_.waves.data(), orbitals * sizeof(double3),
                     cudaMemcpyHostToDevice));
  }
  ~Ladder() {
    cudaFree(psi_);
    cudaFree(result_);
    cudaFree(potential_);
    cudaFree(waves_);
  }
  Ladder(const Ladder &) = delete;
  Ladder &operator=(const Ladder &) = delete;

  template <class Wave, class Value> void runAll(const char *layout, bool planes) {
    const std::size_t count = problem_.psi.size();
    upload(planes);
    const Wave psi = {reinterpret_cast<Value *>(psi_), count};
    const Wave result = {reinterpret_cast<Value *>(result_), count};
    const Crystal crystal = {potential_, waves_};
    const int blocks = orbitals_;
    report(layout, "straight", planes,
           [&] { straight<Wave><<<blocks, kThreads>>>(psi, crystal, result); });
    report(layout, "bounds", planes,
           [&] { bounds<Wave><<<blocks, kThreads>>>(psi, crystal, result); });
    report(layout, "passes", planes, [&] {
      passX<Wave><<<blocks, kThreads>>>(psi, crystal, result);
      passYZ<Wave><<<blocks, kThreads>>>(psi, crystal, result);
    });
    const int sharedBytes = kPoints * sizeof(double2);
    CHECK(cudaFuncSetAttribute(inShared<Wave>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sharedBytes));
    report(layout, "shared", planes,
           [&] { inShared<Wave><<<blocks, kEdge * kEdge, sharedBytes>>>(psi, crystal, result); });
  }
  [[nodiscard]] bool good() const { return good_; }

private:
  void upload(bool planes) {
    const std::size_t count = problem_.psi.size();
    std::vector<double> values(2 * count);
    for (std::size_t n = 0; n < count; ++n) {
      values[planes ? n : 2 * n] = problem_.psi[n].real();
      values[planes ? count + n : 2 * n + 1] = problem_.psi[n].imag();
    }
    CHECK(cudaMemcpy(psi_, values.data(), 2 * count * sizeof(double), cudaMemcpyHostToDevice));
  }

  Values downloadFirst(bool planes) const {
    std::vector<double> re(kPoints), im(kPoints), both(2 * kPoints);
    Values result;
    if (planes) {
      CHECK(cudaMemcpy(re.data(), result_, kPoints * sizeof(double), cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(im.data(), result_ + problem_.psi.size(), kPoints * sizeof(double),
                       cudaMemcpyDeviceToHost));
    } else {
      CHECK(cudaMemcpy(both.data(), result_, 2 * kPoints * sizeof(double), cudaMemcpyDeviceToHost));
    }
    for (int n = 0; n < kPoints; ++n)
      result.emplace_back(planes ? re[n] : both[2 * n], planes ? im[n] : both[2 * n + 1]);
    return result;
  }

  template <class Launch>
  void report(const char *layout, const char *name, bool planes, Launch launch) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    launch();
    CHECK(cudaEventRecord(start));
    for (int n = 0; n < repeats_; ++n)
      launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    const double worst = largestError(problem_, downloadFirst(planes));
    const bool right = worst < 1e-12;
    good_ = good_ && right;
    const double points = double(kPoints) * orbitals_ * repeats_;
    std::printf("%-11s %-9s %10.4f ms %9.2f GFLOPS %8.1f GB/s  largest error %.1e: %s\n", layout,
                name, ms / repeats_, 1e-6 * 147 * points / ms, 1e-6 * 32 * points / ms, worst,
                right ? "ok" : "WRONG");
  }

  int orbitals_, repeats_;
  Problem problem_;
  double *psi_ = nullptr, *result_ = nullptr;
  double *potential_ = nullptr;
  double3 *waves_ = nullptr;
  bool good_ = true;
};

int main(int argc, char **argv) {
  int orbitals = 4096, repeats = 10;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--orbitals") == 0)
      orbitals = value;
    else if (value > 0 && std::strcmp(argv[i], "--repeats") == 0)
      repeats = value;
    else {
      std::fprintf(stderr, "usage: %s [--orbitals N] [--repeats N]\n", argv[0]);
      return 2;
    }
  }
  std::printf("%d orbitals\n", orbitals);
  Ladder ladder(orbitals, repeats);
  ladder.runAll<Interleaved, double2>("interleaved", false);
  ladder.runAll<Planes, double>("planes", true);
  return ladder.good() ? 0 : 1;
}
