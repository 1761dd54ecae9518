// SPDX-License-Identifier: Apache-2.0
// Electrons in a crystal cell: thousands of wave functions on small periodic grids, propagated in
// time with a 25-point Hamiltonian. See README.md for the equations.
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

const int kEdge = 16; // grid points along each axis
const int kPoints = kEdge * kEdge * kEdge;
const int kThreads = 128;
const double kSpacing = 0.5;   // bohr
const double kTimeStep = 0.02; // atomic units
const int kOrders = 4;         // of the Taylor series

struct Complex {
  double re, im;
};

// Bloch wave vector of an orbital.
struct WaveVector {
  double x, y, z;
};

// Weights of the points 1 to 4 away in the second and the first derivative, for unit spacing.
__constant__ double secondWeights[4] = {8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
__constant__ double firstWeights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};

__host__ __device__ inline int wrapped(int coordinate) { return (coordinate + kEdge) % kEdge; }

__host__ __device__ inline int indexOf(int x, int y, int z) { return (x * kEdge + y) * kEdge + z; }

// One term of the series: next = -i factor H term, added to psi. A block has one orbital; a thread
// walks along z.
__global__ void addTerm(const Complex *terms, const double *potential, const WaveVector *waves,
                        double factor, Complex *nexts, Complex *psis) {
  const std::size_t first = (std::size_t)blockIdx.x * kPoints;
  const double kx = waves[blockIdx.x].x / kSpacing;
  const double ky = waves[blockIdx.x].y / kSpacing;
  const double kz = waves[blockIdx.x].z / kSpacing;
  const double half = -0.5 / (kSpacing * kSpacing);
  const double centre =
      0.5 * kSpacing * kSpacing * (kx * kx + ky * ky + kz * kz) + 3.0 * half * (-205.0 / 72.0);
  for (int column = threadIdx.x; column < kEdge * kEdge; column += blockDim.x) {
    const int x = column / kEdge, y = column % kEdge;
    for (int z = 0; z < kEdge; ++z) {
      const std::size_t at = first + indexOf(x, y, z);
      const double local = potential[indexOf(x, y, z)] + centre;
      double lapRe = 0.0, lapIm = 0.0, gradRe = 0.0, gradIm = 0.0;
      for (int d = 1; d <= 4; ++d) {
        const double second = half * secondWeights[d - 1], weight = firstWeights[d - 1];
        const std::size_t right = first + indexOf(wrapped(x + d), y, z);
        const std::size_t left = first + indexOf(wrapped(x - d), y, z);
        const std::size_t back = first + indexOf(x, wrapped(y + d), z);
        const std::size_t front = first + indexOf(x, wrapped(y - d), z);
        const std::size_t above = first + indexOf(x, y, wrapped(z + d));
        const std::size_t below = first + indexOf(x, y, wrapped(z - d));
        lapRe += second * (terms[right].re + terms[left].re + terms[back].re + terms[front].re +
                           terms[above].re + terms[below].re);
        lapIm += second * (terms[right].im + terms[left].im + terms[back].im + terms[front].im +
                           terms[above].im + terms[below].im);
        gradRe += weight * (kx * (terms[right].re - terms[left].re) +
                            ky * (terms[back].re - terms[front].re) +
                            kz * (terms[above].re - terms[below].re));
        gradIm += weight * (kx * (terms[right].im - terms[left].im) +
                            ky * (terms[back].im - terms[front].im) +
                            kz * (terms[above].im - terms[below].im));
      }
      const double nextRe = factor * (local * terms[at].im + lapIm - gradRe);
      const double nextIm = -factor * (local * terms[at].re + lapRe + gradIm);
      nexts[at].re = nextRe;
      nexts[at].im = nextIm;
      psis[at].re += nextRe;
      psis[at].im += nextIm;
    }
  }
}

struct Options {
  int orbitals = 8;
  int steps = 1;
  unsigned seed = 1;
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
    if (value > 0 && std::strcmp(argv[i], "--orbitals") == 0)
      options.orbitals = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--orbitals N] [--steps N] [--seed N] [--check]\n", argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

struct Crystal {
  std::vector<double> potential; // hartree
  std::vector<WaveVector> waves; // 1/bohr
  std::vector<Complex> psis;
};

// A smooth periodic potential; orbitals are a few plane waves each, of norm one.
Crystal makeCrystal(const Options &options) {
  const double angle = 6.283185307179586 / kEdge;
  std::mt19937 random(options.seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Crystal crystal;
  for (int x = 0; x < kEdge; ++x)
    for (int y = 0; y < kEdge; ++y)
      for (int z = 0; z < kEdge; ++z)
        crystal.potential.push_back(
            -0.5 * (std::cos(angle * x) + std::cos(angle * y) * std::cos(angle * z)));
  std::complex<double> turn[kEdge];
  for (int n = 0; n < kEdge; ++n)
    turn[n] = std::polar(1.0, angle * n);
  crystal.psis.reserve((std::size_t)options.orbitals * kPoints);
  for (int orbital = 0; orbital < options.orbitals; ++orbital) {
    crystal.waves.push_back({0.2 * unit(random), 0.2 * unit(random), 0.2 * unit(random)});
    std::complex<double> amplitudes[4];
    int modes[4][3];
    double norm = 0.0;
    for (int n = 0; n < 4; ++n) {
      amplitudes[n] = {unit(random), unit(random)};
      norm += std::norm(amplitudes[n]);
      for (int &mode : modes[n])
        mode = (int)(random() % 5) - 2;
      modes[n][0] = n - 2; // no two waves alike
    }
    for (int x = 0; x < kEdge; ++x)
      for (int y = 0; y < kEdge; ++y)
        for (int z = 0; z < kEdge; ++z) {
          std::complex<double> value = 0.0;
          for (int n = 0; n < 4; ++n)
            value += amplitudes[n] *
                     turn[(modes[n][0] * x + modes[n][1] * y + modes[n][2] * z) & (kEdge - 1)];
          value /= std::sqrt(norm * kPoints);
          crystal.psis.push_back({value.real(), value.imag()});
        }
  }
  return crystal;
}

// (H psi) of one orbital: derivatives axis by axis in complex arithmetic.
std::vector<std::complex<double>> referenceHamiltonian(const std::vector<std::complex<double>> &psi,
                                                       const std::vector<double> &potential,
                                                       const WaveVector &wave) {
  const double second[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  const double first[5] = {0.0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double k[3] = {wave.x, wave.y, wave.z};
  const std::complex<double> i(0.0, 1.0);
  std::vector<std::complex<double>> result(kPoints);
  for (int at = 0; at < kPoints; ++at) {
    std::complex<double> sum = potential[at] * psi[at];
    for (int axis = 0; axis < 3; ++axis) {
      const int stride = axis == 0 ? kEdge * kEdge : axis == 1 ? kEdge : 1;
      const int coordinate = at / stride % kEdge;
      std::complex<double> curvature = 0.0, slope = 0.0;
      for (int d = -4; d <= 4; ++d) {
        const std::complex<double> value =
            psi[at + (wrapped(coordinate + d) - coordinate) * stride];
        curvature += second[std::abs(d)] / (kSpacing * kSpacing) * value;
        slope += (d < 0 ? -1.0 : 1.0) * first[std::abs(d)] / kSpacing * value;
      }
      sum += -0.5 * curvature - i * k[axis] * slope + 0.5 * k[axis] * k[axis] * psi[at];
    }
    result[at] = sum;
  }
  return result;
}

// Every orbital keeps its norm; the first few agree with the reference.
bool agreesWithReference(const Crystal &crystal, const std::vector<Complex> &psis, int steps) {
  double normError = 0.0, worst = 0.0;
  for (std::size_t orbital = 0; orbital < crystal.waves.size(); ++orbital) {
    double norm = 0.0;
    for (int at = 0; at < kPoints; ++at) {
      const Complex &value = psis[orbital * kPoints + at];
      norm += value.re * value.re + value.im * value.im;
    }
    if (!(std::fabs(norm - 1.0) <= normError)) // also true for NaN
      normError = std::fabs(norm - 1.0);
  }
  for (std::size_t orbital = 0; orbital < crystal.waves.size() && orbital < 4; ++orbital) {
    std::vector<std::complex<double>> psi;
    for (int at = 0; at < kPoints; ++at) {
      const Complex &value = crystal.psis[orbital * kPoints + at];
      psi.emplace_back(value.re, value.im);
    }
    for (int step = 0; step < steps; ++step) {
      std::vector<std::complex<double>> term = psi;
      for (int order = 1; order <= kOrders; ++order) {
        term = referenceHamiltonian(term, crystal.potential, crystal.waves[orbital]);
        for (int at = 0; at < kPoints; ++at) {
          term[at] *= std::complex<double>(0.0, -kTimeStep / order);
          psi[at] += term[at];
        }
      }
    }
    for (int at = 0; at < kPoints; ++at) {
      const Complex &value = psis[orbital * kPoints + at];
      const double error = std::abs(psi[at] - std::complex<double>(value.re, value.im));
      if (!(error <= worst))
        worst = error;
    }
  }
  const bool good = normError < 1e-8 * steps && worst < 1e-13 * steps;
  std::printf("check: norms off by %.1e at most, largest difference from the reference %.1e: %s\n",
              normError, worst, good ? "ok" : "WRONG");
  return good;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const Crystal crystal = makeCrystal(options);
  std::vector<Complex> psis = crystal.psis;
  const std::size_t bytes = psis.size() * sizeof(Complex);

  Complex *devicePsis = nullptr, *deviceTerms = nullptr, *deviceNexts = nullptr;
  WaveVector *deviceWaves = nullptr;
  double *devicePotential = nullptr;
  CHECK(cudaMalloc(&devicePsis, bytes));
  CHECK(cudaMalloc(&deviceTerms, bytes));
  CHECK(cudaMalloc(&deviceNexts, bytes));
  CHECK(cudaMalloc(&deviceWaves, options.orbitals * sizeof(WaveVector)));
  CHECK(cudaMalloc(&devicePotential, kPoints * sizeof(double)));
  CHECK(cudaMemcpy(devicePsis, psis.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceWaves, crystal.waves.data(), options.orbitals * sizeof(WaveVector),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(devicePotential, crystal.potential.data(), kPoints * sizeof(double),
                   cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  for (int step = 0; step < options.steps; ++step) {
    CHECK(cudaMemcpy(deviceTerms, devicePsis, bytes, cudaMemcpyDeviceToDevice));
    for (int order = 1; order <= kOrders; ++order) {
      addTerm<<<options.orbitals, kThreads>>>(deviceTerms, devicePotential, deviceWaves,
                                              kTimeStep / order, deviceNexts, devicePsis);
      Complex *swap = deviceTerms;
      deviceTerms = deviceNexts;
      deviceNexts = swap;
    }
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(psis.data(), devicePsis, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(devicePsis));
  CHECK(cudaFree(deviceTerms));
  CHECK(cudaFree(deviceNexts));
  CHECK(cudaFree(deviceWaves));
  CHECK(cudaFree(devicePotential));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double density = 0.0; // at the first point of the cell
  for (int orbital = 0; orbital < options.orbitals; ++orbital) {
    const Complex &value = psis[(std::size_t)orbital * kPoints];
    density += value.re * value.re + value.im * value.im;
  }
  const double updates = double(kPoints) * options.orbitals * kOrders * options.steps;
  std::printf("%d orbitals, %d steps: density %.9f at the origin\n", options.orbitals,
              options.steps, density / options.orbitals);
  std::printf("kernel time: %.4f ms, %.2f GFLOPS, %.1f useful GB/s\n", elapsedMs,
              1e-6 * 147 * updates / elapsedMs, 1e-6 * 64 * updates / elapsedMs);
  return options.check && !agreesWithReference(crystal, psis, options.steps) ? 1 : 0;
}
