// SPDX-License-Identifier: Apache-2.0
// Draws from every cuRAND generator and distribution. Compiled by nvcc it writes what a GPU draws
// (`curand FOLDER DRAWS`); compiled as C++ against the CPU executor's headers it draws the same and
// prints, as JSON, how the two differ (`curand FOLDER DRAWS`). Driven by tests/gpu/curand.py.
#include <curand.h>
#include <curand_kernel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

constexpr unsigned kThreads = 1000;
constexpr unsigned long long kSeed = 20261122;

// One value of each distribution: of the device API …
#define DISTRIBUTION(Name, Value, expression)                                                      \
  struct Name {                                                                                    \
    using Type = Value;                                                                            \
    static constexpr const char *kName = #Name;                                                    \
    template <class State> __device__ static Type draw(State *s) { return expression; }            \
  };
DISTRIBUTION(bits, unsigned int, curand(s))
DISTRIBUTION(uniform, float, curand_uniform(s))
DISTRIBUTION(uniformDouble, double, curand_uniform_double(s))
DISTRIBUTION(normal, float, curand_normal(s))
DISTRIBUTION(normal2, float2, curand_normal2(s))
DISTRIBUTION(normalDouble, double, curand_normal_double(s))
DISTRIBUTION(normal2Double, double2, curand_normal2_double(s))
DISTRIBUTION(logNormal, float, curand_log_normal(s, 0.25f, 0.5f))
DISTRIBUTION(logNormalDouble, double, curand_log_normal_double(s, 0.25, 0.5))
DISTRIBUTION(poisson8, unsigned int, curand_poisson(s, 8.0))
DISTRIBUTION(poisson5000, unsigned int, curand_poisson(s, 5000.0))
// … and of Philox alone.
DISTRIBUTION(bits4, uint4, curand4(s))
DISTRIBUTION(uniform4, float4, curand_uniform4(s))
DISTRIBUTION(uniform2Double, double2, curand_uniform2_double(s))
DISTRIBUTION(normal4, float4, curand_normal4(s))
DISTRIBUTION(logNormal4, float4, curand_log_normal4(s, 0.25f, 0.5f))
DISTRIBUTION(poisson4, uint4, curand_poisson4(s, 8.0))

template <class State, class Distribution>
__device__ void drawThread(unsigned thread, unsigned draws, typename Distribution::Type *out) {
  State state;
  curand_init(kSeed, thread, 7ull * thread, &state);
  for (unsigned i = 0; i < draws; ++i)
    out[static_cast<std::size_t>(thread) * draws + i] = Distribution::draw(&state);
}

/// The scalars that a value consists of.
template <class T> struct Scalar { using Type = T; };
template <> struct Scalar<uint4> { using Type = unsigned int; };
template <> struct Scalar<float2> { using Type = float; };
template <> struct Scalar<float4> { using Type = float; };
template <> struct Scalar<double2> { using Type = double; };

#ifdef __NVCC__

template <class State, class Distribution>
__global__ void drawAll(unsigned draws, typename Distribution::Type *out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < kThreads)
    drawThread<State, Distribution>(thread, draws, out);
}

void write(const std::string &path, const void *from, std::size_t bytes) {
  FILE *const file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(from, 1, bytes, file) != bytes || std::fclose(file) != 0)
    std::exit(1);
}

template <class Scalar, class Fill>
void visit(const std::string &name, const std::string &folder, std::size_t count, Fill fill) {
  Scalar *device = nullptr;
  if (cudaMalloc(&device, count * sizeof(Scalar)) != cudaSuccess)
    std::exit(1);
  fill(device);
  std::vector<Scalar> host(count);
  if (cudaMemcpy(host.data(), device, count * sizeof(Scalar), cudaMemcpyDeviceToHost) !=
      cudaSuccess)
    std::exit(1);
  cudaFree(device);
  write(folder + "/" + name, host.data(), count * sizeof(Scalar));
}

template <class State, class Distribution>
void fillFromDevice(unsigned draws, typename Distribution::Type *out) {
  drawAll<State, Distribution><<<(kThreads + 127) / 128, 128>>>(draws, out);
}

#else

template <class T> std::uint64_t ulpsBetween(T a, T b) {
  if (a == b)
    return 0;
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Bits x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  if constexpr (std::is_integral_v<T>)
    return a > b ? a - b : b - a;
  // Negative numbers count down from zero.
  constexpr Bits kLowest = std::numeric_limits<Bits>::min();
  const auto ordered = [](Bits v) { return v < 0 ? static_cast<Bits>(kLowest - v) : v; };
  const auto distance = static_cast<__int128>(ordered(x)) - ordered(y);
  return static_cast<std::uint64_t>(distance < 0 ? -distance : distance);
}

bool isFirst = true;

/// FNV-1a over the bytes of all draws.
template <class T> std::uint64_t digestOf(const std::vector<T> &values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (const unsigned char byte : bytes)
    digest = (digest ^ byte) * 0x100000001b3u;
  return digest;
}

template <class Scalar, class Fill>
void visit(const std::string &name, const std::string &folder, std::size_t count, Fill fill) {
  std::vector<Scalar> gpu(count), cpu(count);
  FILE *const file = std::fopen((folder + "/" + name).c_str(), "rb");
  if (!file || std::fread(gpu.data(), sizeof(Scalar), count, file) != count)
    std::exit(1);
  std::fclose(file);
  fill(cpu.data());
  std::size_t mismatches = 0, beyondTwo = 0;
  std::uint64_t worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t ulps = ulpsBetween(gpu[i], cpu[i]);
    mismatches += ulps != 0;
    beyondTwo += ulps > 2;
    worst = std::max(worst, ulps);
    largest = std::max(largest, std::fabs(double(gpu[i]) - double(cpu[i])));
  }
  std::printf(
      "%s\n  {\"name\": \"%s\", \"draws\": %zu, \"mismatches\": %zu, \"beyond_2_ulp\": %zu, "
      "\"worst_ulp\": %llu, \"largest_difference\": %.3g, \"digest\": \"%016llx\", \"first\": [",
      isFirst ? "[" : ",", name.c_str(), count, mismatches, beyondTwo,
      static_cast<unsigned long long>(worst), largest,
      static_cast<unsigned long long>(digestOf(gpu)));
  isFirst = false;
  for (std::size_t i = 0; i < 4; ++i)
    std::printf("%s%.17g", i == 0 ? "" : ", ", double(gpu[i]));
  std::printf("]}");
}

template <class State, class Distribution>
void fillFromDevice(unsigned draws, typename Distribution::Type *out) {
  for (unsigned thread = 0; thread < kThreads; ++thread)
    drawThread<State, Distribution>(thread, draws, out);
}

#endif

template <class State, class Distribution>
void device(const std::string &generator, const std::string &folder, unsigned draws) {
  using Type = typename Distribution::Type;
  using Part = typename Scalar<Type>::Type;
  const unsigned each = draws / kThreads / (sizeof(Type) / sizeof(Part));
  visit<Part>(
      generator + "." + Distribution::kName, folder,
      static_cast<std::size_t>(kThreads) * each * (sizeof(Type) / sizeof(Part)),
      [&](Part *out) { fillFromDevice<State, Distribution>(each, reinterpret_cast<Type *>(out)); });
}

template <class State>
void everyGenerator(const std::string &name, const std::string &folder, unsigned draws) {
  device<State, bits>(name, folder, draws);
  device<State, uniform>(name, folder, draws);
  device<State, uniformDouble>(name, folder, draws);
  device<State, normal>(name, folder, draws);
  device<State, normal2>(name, folder, draws);
  device<State, normalDouble>(name, folder, draws);
  device<State, normal2Double>(name, folder, draws);
  device<State, logNormal>(name, folder, draws);
  device<State, logNormalDouble>(name, folder, draws);
  device<State, poisson8>(name, folder, draws);
  device<State, poisson5000>(name, folder, draws);
}

/// The host API: two calls in a row, so that the second begins where the first ended.
void hostApi(const std::string &name, curandRngType_t type, const std::string &folder,
             unsigned draws) {
  const auto fill = [&](const char *kind, auto scalar, auto generate) {
    using Part = decltype(scalar);
    visit<Part>(name + ".host." + kind, folder, draws, [&](Part *out) {
      curandGenerator_t generator = nullptr;
      if (curandCreateGenerator(&generator, type) != CURAND_STATUS_SUCCESS ||
          curandSetPseudoRandomGeneratorSeed(generator, kSeed) != CURAND_STATUS_SUCCESS ||
          curandSetGeneratorOffset(generator, 12345) != CURAND_STATUS_SUCCESS)
        std::exit(1);
      const std::size_t first = draws / 3 / 4 * 4;
      if (generate(generator, out, first) != CURAND_STATUS_SUCCESS ||
          generate(generator, out + first, draws - first) != CURAND_STATUS_SUCCESS)
        std::exit(1);
      curandDestroyGenerator(generator);
    });
  };
  fill("bits", 0u, curandGenerate);
  fill("uniform", 0.0f, curandGenerateUniform);
  fill("uniformDouble", 0.0, curandGenerateUniformDouble);
  fill("normal", 0.0f, [](curandGenerator_t g, float *out, std::size_t n) {
    return curandGenerateNormal(g, out, n, 0.0f, 2.0f);
  });
  fill("normalDouble", 0.0, [](curandGenerator_t g, double *out, std::size_t n) {
    return curandGenerateNormalDouble(g, out, n, 0.0, 2.0);
  });
  fill("logNormal", 0.0f, [](curandGenerator_t g, float *out, std::size_t n) {
    return curandGenerateLogNormal(g, out, n, 0.25f, 0.5f);
  });
  fill("logNormalDouble", 0.0, [](curandGenerator_t g, double *out, std::size_t n) {
    return curandGenerateLogNormalDouble(g, out, n, 0.25, 0.5);
  });
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string folder = argv[1];
  const auto draws = static_cast<unsigned>(std::atoi(argv[2]));
  everyGenerator<curandStateXORWOW_t>("xorwow", folder, draws);
  everyGenerator<curandStatePhilox4_32_10_t>("philox", folder, draws);
  everyGenerator<curandStateMRG32k3a_t>("mrg32k3a", folder, draws);
  using Philox = curandStatePhilox4_32_10_t;
  device<Philox, bits4>("philox", folder, draws);
  device<Philox, uniform4>("philox", folder, draws);
  device<Philox, uniform2Double>("philox", folder, draws);
  device<Philox, normal4>("philox", folder, draws);
  device<Philox, logNormal4>("philox", folder, draws);
  device<Philox, poisson4>("philox", folder, draws);
  hostApi("xorwow", CURAND_RNG_PSEUDO_XORWOW, folder, draws);
  hostApi("philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, folder, draws);
  hostApi("mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A, folder, draws);
#ifndef __NVCC__
  std::printf("\n]\n");
#endif
  return 0;
}
