// SPDX-License-Identifier: Apache-2.0
// cuRAND on the CPU executor. Expected values and digests are those of an NVIDIA H200 with cuRAND
// 10.4: tests/gpu/curand.py drew them, docs/results/curand.json holds them.
#include <cuda_runtime.h>

#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr unsigned kThreads = 1000;
constexpr unsigned kDraws = 1000000;
constexpr unsigned long long kSeed = 20261122;

template <class T> std::string digestOf(const std::vector<T> &values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  unsigned long long digest = 0xcbf29ce484222325u;
  for (const unsigned char byte : bytes)
    digest = (digest ^ byte) * 0x100000001b3u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", digest);
  return text;
}

/// As tests/gpu/kernels/curand.cu draws: a sequence and an offset of its own for each thread.
template <class State, class Draw> auto drawAll(Draw draw) {
  using Value = decltype(draw(static_cast<State *>(nullptr)));
  std::vector<Value> values;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    State state;
    curand_init(kSeed, thread, 7ull * thread, &state);
    for (unsigned i = 0; i < kDraws / kThreads; ++i)
      values.push_back(draw(&state));
  }
  return values;
}

template <class Value, class Generate>
std::vector<Value> fromHostApi(curandRngType_t type, Generate generate) {
  curandGenerator_t generator = nullptr;
  EXPECT_EQ(curandCreateGenerator(&generator, type), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(generator, kSeed), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandSetGeneratorOffset(generator, 12345), CURAND_STATUS_SUCCESS);
  std::vector<Value> values(kDraws);
  const std::size_t first = std::size_t{kDraws} / 3 / 4 * 4;
  EXPECT_EQ(generate(generator, values.data(), first), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(generate(generator, values.data() + first, kDraws - first), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
  return values;
}

#define BITS [](auto *s) { return curand(s); }
#define UNIFORM [](auto *s) { return curand_uniform(s); }
#define UNIFORM_DOUBLE [](auto *s) { return curand_uniform_double(s); }

TEST(Random, EveryGeneratorDrawsTheBitsAndUniformsOfAGpu) {
  EXPECT_EQ(digestOf(drawAll<curandStateXORWOW_t>(BITS)), "ee532fa5738e30b1");
  EXPECT_EQ(digestOf(drawAll<curandStateXORWOW_t>(UNIFORM)), "72a4d74c3b696e7d");
  EXPECT_EQ(digestOf(drawAll<curandStateXORWOW_t>(UNIFORM_DOUBLE)), "9cbcdb609743fd0f");
  EXPECT_EQ(digestOf(drawAll<curandStatePhilox4_32_10_t>(BITS)), "bbe212245d3a7985");
  EXPECT_EQ(digestOf(drawAll<curandStatePhilox4_32_10_t>(UNIFORM)), "abdf71433acb3632");
  EXPECT_EQ(digestOf(drawAll<curandStatePhilox4_32_10_t>(UNIFORM_DOUBLE)), "06374b7ae3b44cdf");
  EXPECT_EQ(digestOf(drawAll<curandStateMRG32k3a_t>(BITS)), "0852d366bd043d41");
  EXPECT_EQ(digestOf(drawAll<curandStateMRG32k3a_t>(UNIFORM)), "488a5b036553195f");
  EXPECT_EQ(digestOf(drawAll<curandStateMRG32k3a_t>(UNIFORM_DOUBLE)), "e8512fa0c7f4d8c6");
}

TEST(Random, TheHostApiTakesTheSequencesInTheGpusOrder) {
  EXPECT_EQ(digestOf(fromHostApi<unsigned int>(CURAND_RNG_PSEUDO_XORWOW, curandGenerate)),
            "8a59e6b8e77d5dea");
  EXPECT_EQ(digestOf(fromHostApi<float>(CURAND_RNG_PSEUDO_XORWOW, curandGenerateUniform)),
            "dc71c40f08078c25");
  EXPECT_EQ(digestOf(fromHostApi<double>(CURAND_RNG_PSEUDO_XORWOW, curandGenerateUniformDouble)),
            "4c2e548498ce0ade");
  EXPECT_EQ(digestOf(fromHostApi<unsigned int>(CURAND_RNG_PSEUDO_PHILOX4_32_10, curandGenerate)),
            "6427f2d02cde31ef");
  EXPECT_EQ(digestOf(fromHostApi<float>(CURAND_RNG_PSEUDO_PHILOX4_32_10, curandGenerateUniform)),
            "4c928945422e9336");
  EXPECT_EQ(
      digestOf(fromHostApi<double>(CURAND_RNG_PSEUDO_PHILOX4_32_10, curandGenerateUniformDouble)),
      "d36409c9290c29c0");
  EXPECT_EQ(digestOf(fromHostApi<unsigned int>(CURAND_RNG_PSEUDO_MRG32K3A, curandGenerate)),
            "319d0b236a4a0678");
  EXPECT_EQ(digestOf(fromHostApi<float>(CURAND_RNG_PSEUDO_MRG32K3A, curandGenerateUniform)),
            "88e34495819588b5");
  EXPECT_EQ(digestOf(fromHostApi<double>(CURAND_RNG_PSEUDO_MRG32K3A, curandGenerateUniformDouble)),
            "c340c9f3622efeaf");
}

/// The distance in units of the last place of the GPU's value.
double ulps(float value, double gpu) {
  return std::fabs(value - gpu) / (std::nextafter(std::fabs(static_cast<float>(gpu)), INFINITY) -
                                   std::fabs(static_cast<float>(gpu)));
}
double ulps(double value, double gpu) {
  return std::fabs(value - gpu) / (std::nextafter(std::fabs(gpu), INFINITY) - std::fabs(gpu));
}

template <class State, class Draw> void expectClose(Draw draw, const std::vector<double> &gpu) {
  State state;
  curand_init(kSeed, 0, 0, &state);
  for (const double expected : gpu)
    EXPECT_LE(ulps(draw(&state), expected), 2.0) << "of " << expected;
}

TEST(Random, NormalsAreTheGpusToTwoUnitsInTheLastPlace) {
  expectClose<curandStateXORWOW_t>(
      [](auto *s) { return curand_normal(s); },
      {0.90841180086135864, -1.8737101554870605, 1.0606018304824829, -0.51299768686294556});
  expectClose<curandStateXORWOW_t>(
      [](auto *s) { return curand_normal_double(s); },
      {1.1725572413011125, -0.56715096881883342, -1.5053618542564124, -1.3766533910665728});
  expectClose<curandStateXORWOW_t>(
      [](auto *s) { return curand_log_normal(s, 0.25f, 0.5f); },
      {2.022240161895752, 0.50315600633621216, 2.18212890625, 0.99352216720581055});
  expectClose<curandStateXORWOW_t>(
      [](auto *s) { return curand_log_normal_double(s, 0.25, 0.5); },
      {2.3077629159646471, 0.96698191641757492, 0.60490677294658601, 0.64511499224057178});
  expectClose<curandStatePhilox4_32_10_t>(
      [](auto *s) { return curand_normal(s); },
      {-1.0276952981948853, -0.18350455164909363, -0.2691880464553833, -0.044591926038265228});
  expectClose<curandStatePhilox4_32_10_t>(
      [](auto *s) { return curand_normal_double(s); },
      {-0.79648696144992492, -0.13193880418082904, -1.5712677550911702, -1.2305812820235436});
  expectClose<curandStatePhilox4_32_10_t>(
      [](auto *s) { return curand_log_normal(s, 0.25f, 0.5f); },
      {0.76809060573577881, 1.1714563369750977, 1.1223289966583252, 1.2557135820388794});
  expectClose<curandStatePhilox4_32_10_t>(
      [](auto *s) { return curand_log_normal_double(s, 0.25, 0.5); },
      {0.86222115515056752, 1.2020526028304654, 0.58529816516895317, 0.69399491817831704});
  expectClose<curandStateMRG32k3a_t>(
      [](auto *s) { return curand_normal(s); },
      {0.62475258111953735, -0.90227043628692627, -1.4892342090606689, -1.8522735834121704});
  expectClose<curandStateMRG32k3a_t>(
      [](auto *s) { return curand_normal_double(s); },
      {0.62475275063732716, -0.9022703697811546, -1.4892349771806483, -1.8522729953788291});
  expectClose<curandStateMRG32k3a_t>(
      [](auto *s) { return curand_log_normal(s, 0.25f, 0.5f); },
      {1.7548373937606812, 0.81780189275741577, 0.60980433225631714, 0.50857794284820557});
  expectClose<curandStateMRG32k3a_t>(
      [](auto *s) { return curand_log_normal_double(s, 0.25, 0.5); },
      {1.7548377022983557, 0.81780186962461754, 0.60980411972372017, 0.5085780942075353});
}

TEST(Random, PoissonCountsAreTheGpusForSmallAndLargeMeans) {
  EXPECT_EQ(digestOf(drawAll<curandStateXORWOW_t>([](auto *s) { return curand_poisson(s, 8.0); })),
            "8ae23ffa29e08e84");
  EXPECT_EQ(
      digestOf(drawAll<curandStateXORWOW_t>([](auto *s) { return curand_poisson(s, 5000.0); })),
      "b8256594ffcee1e4");
  EXPECT_EQ(
      digestOf(drawAll<curandStatePhilox4_32_10_t>([](auto *s) { return curand_poisson(s, 8.0); })),
      "9b7bef803c595f57");
  EXPECT_EQ(digestOf(drawAll<curandStatePhilox4_32_10_t>(
                [](auto *s) { return curand_poisson(s, 5000.0); })),
            "a868069bc14b3b7c");
  EXPECT_EQ(
      digestOf(drawAll<curandStateMRG32k3a_t>([](auto *s) { return curand_poisson(s, 8.0); })),
      "cc2c9457da0cd9d4");
  EXPECT_EQ(
      digestOf(drawAll<curandStateMRG32k3a_t>([](auto *s) { return curand_poisson(s, 5000.0); })),
      "dd9279a8f5632278");
}

TEST(Random, PoissonCountsBetweenHaveTheirMeanAndVariance) {
  curandStateXORWOW_t state;
  curand_init(kSeed, 0, 0, &state);
  for (const double mean : {70.0, 700.0, 3900.0}) {
    constexpr int kCounts = 100000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kCounts; ++i) {
      const double count = curand_poisson(&state, mean);
      sum += count - mean;
      squares += (count - mean) * (count - mean);
    }
    // Five standard deviations of either estimate.
    EXPECT_NEAR(sum / kCounts, 0, 5 * std::sqrt(mean / kCounts));
    EXPECT_NEAR(squares / kCounts / mean, 1, 5 * std::sqrt(2.0 / kCounts));
  }
}

template <class State> void expectSkipsLikeDraws() {
  State drawn, skipped, started;
  curand_init(kSeed, 5, 0, &drawn);
  curand_init(kSeed, 5, 0, &skipped);
  for (int i = 0; i < 1003; ++i)
    curand(&drawn);
  skipahead(1003, &skipped);
  curand_init(kSeed, 5, 1003, &started);
  for (int i = 0; i < 9; ++i) {
    const unsigned expected = curand(&drawn);
    EXPECT_EQ(curand(&skipped), expected);
    EXPECT_EQ(curand(&started), expected);
  }
}

TEST(Random, SkippingIsDrawing) {
  expectSkipsLikeDraws<curandStateXORWOW_t>();
  expectSkipsLikeDraws<curandStatePhilox4_32_10_t>();
  expectSkipsLikeDraws<curandStateMRG32k3a_t>();
}

TEST(Random, FourAtOnceAreFourInARow) {
  curandStatePhilox4_32_10_t one, four;
  curand_init(kSeed, 3, 2, &one);
  curand_init(kSeed, 3, 2, &four);
  for (int i = 0; i < 5; ++i) {
    const uint4 block = curand4(&four);
    EXPECT_EQ(block.x, curand(&one));
    EXPECT_EQ(block.y, curand(&one));
    EXPECT_EQ(block.z, curand(&one));
    EXPECT_EQ(block.w, curand(&one));
  }
}

TEST(Random, StatesHaveCuRandsSizes) {
  static_assert(sizeof(curandStateXORWOW_t) == 48);
  static_assert(sizeof(curandStatePhilox4_32_10_t) == 64);
  static_assert(sizeof(curandStateMRG32k3a_t) == 48);
}

TEST(Random, WhatTheHostApiCannotDoItSays) {
  curandGenerator_t generator = nullptr;
  EXPECT_EQ(curandCreateGenerator(&generator, CURAND_RNG_TEST), CURAND_STATUS_TYPE_ERROR);
  testing::internal::CaptureStderr();
  ASSERT_EQ(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_SUCCESS);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::ContainsRegex("PHILOX4_32_10 alone.*201.*RL-C05"));
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 0), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 3), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_DEFAULT),
            CURAND_STATUS_SUCCESS);
  float odd[3];
  EXPECT_EQ(curandGenerateNormal(generator, odd, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_SEEDED),
            CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateUniform(nullptr, odd, 3), CURAND_STATUS_NOT_INITIALIZED);
}

TEST(Random, TheSineUnitIsTheGpus) {
  // __sinf and __cosf of an H200.
  EXPECT_EQ(__sinf(1.0f), 0x1.aed546p-1f);
  EXPECT_EQ(__sinf(4.0f), -0x1.837b9ap-1f);
  EXPECT_EQ(__sinf(2.0f), 0x1.d18f6cp-1f);
  EXPECT_EQ(__sinf(0.125f), 0x1.feaaecp-4f);
  EXPECT_EQ(__sinf(0x1p-21f), 0x1.9224p-22f);
  EXPECT_EQ(__cosf(0.0f), 1.0f);
  EXPECT_EQ(__cosf(0x1.8p-20f), 0x1.fffffep-1f);
  EXPECT_EQ(__sinf(-2.0f), -__sinf(2.0f));
  EXPECT_TRUE(std::isnan(__sinf(INFINITY)));
}

void drawFromShared(curandStateMtgp32_t *states, unsigned int *bits, double *uniforms) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int draw = 0; draw < 2; ++draw)
    bits[2 * i + draw] = curand(&states[blockIdx.x]);
  uniforms[i] = curand_uniform_double(&states[blockIdx.x]);
}

TEST(Mtgp32, ThreadsThatShareAStateDrawNumbersOfTheirOwn) {
  constexpr unsigned kBlocks = 3, kBlockThreads = 64, kAll = kBlocks * kBlockThreads;
  curandStateMtgp32_t *states = nullptr;
  unsigned int *bits = nullptr;
  double *uniforms = nullptr;
  mtgp32_kernel_params_t *parameters = nullptr;
  ASSERT_EQ(cudaMalloc(&states, kBlocks * sizeof *states), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&bits, 2 * kAll * sizeof *bits), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&uniforms, kAll * sizeof *uniforms), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&parameters, sizeof *parameters), cudaSuccess);
  ASSERT_EQ(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters),
            CURAND_STATUS_SUCCESS);
  testing::internal::CaptureStderr();
  ASSERT_EQ(
      curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, kBlocks, kSeed),
      CURAND_STATUS_SUCCESS);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("RL-C05"));
  relayout::host::launch("drawFromShared", relayout::host::Threads::Loop, {kBlocks, kBlockThreads},
                         drawFromShared, states, bits, uniforms);
  std::vector<unsigned int> drawn(bits, bits + 2 * kAll);
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(std::unique(drawn.begin(), drawn.end()), drawn.end());
  double sum = 0;
  for (unsigned i = 0; i < kAll; ++i)
    sum += uniforms[i];
  EXPECT_NEAR(sum / kAll, 0.5, 0.1);
  for (void *memory : {static_cast<void *>(states), static_cast<void *>(bits),
                       static_cast<void *>(uniforms), static_cast<void *>(parameters)})
    cudaFree(memory);
}

} // namespace
