// SPDX-License-Identifier: Apache-2.0
// cuRAND on the CPU executor: its host API. A generator starts when it is first asked for values.
#include "failure.h"
#include "handles.h"
#include "random/sequences.h"

#include "curand.h"

#include <memory>
#include <variant>

struct curandGenerator_st {
  curandRngType_t type;
  unsigned long long seed = 0;
  unsigned long long offset = 0;
  std::variant<std::monostate, relayout::random::XorwowSequences, relayout::random::MrgSequences,
               relayout::random::PhiloxSequences>
      sequences;
};

namespace relayout::random {
namespace {

void start(curandGenerator_st &generator) {
  switch (generator.type) {
  case CURAND_RNG_PSEUDO_MRG32K3A:
    generator.sequences.emplace<MrgSequences>(generator.seed, generator.offset);
    break;
  case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    generator.sequences.emplace<PhiloxSequences>(generator.seed, generator.offset);
    break;
  default:
    generator.sequences.emplace<XorwowSequences>(generator.seed, generator.offset);
    break;
  }
}

/// Calls `fill` with the generator's sequences, of whatever kind.
template <class Fill> curandStatus_t generate(curandGenerator_t generator, Fill fill) {
  if (generator == nullptr)
    return CURAND_STATUS_NOT_INITIALIZED;
  if (std::holds_alternative<std::monostate>(generator->sequences))
    start(*generator);
  std::visit(
      [&](auto &sequences) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(sequences)>, std::monostate>)
          fill(sequences);
      },
      generator->sequences);
  return CURAND_STATUS_SUCCESS;
}

/// A generator's next normals, one or two at a time.
struct Floats {
  using Value = float;
  template <class Sequences> static auto one(Sequences &from) { return from.normal(); }
  template <class Sequences> static auto pair(Sequences &from) { return from.normals(); }
};
struct Doubles {
  using Value = double;
  template <class Sequences> static auto one(Sequences &from) { return from.normalDouble(); }
  template <class Sequences> static auto pair(Sequences &from) { return from.normalsDouble(); }
};

/// Fills with what `finish` makes of each normal.
template <class Kind, class Finish>
curandStatus_t generateNormals(curandGenerator_t generator, typename Kind::Value *output,
                               std::size_t count, Finish finish) {
  if (generator != nullptr && count % 2 != 0 && generator->type != CURAND_RNG_PSEUDO_PHILOX4_32_10)
    return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, [&](auto &sequences) {
    if constexpr (std::decay_t<decltype(sequences)>::kNormalsComeInPairs) {
      for (std::size_t i = 0; i < count; i += 2) {
        const auto pair = Kind::pair(sequences);
        output[i] = finish(pair.x);
        output[i + 1] = finish(pair.y);
      }
    } else {
      for (std::size_t i = 0; i < count; ++i)
        output[i] = finish(Kind::one(sequences));
    }
  });
}

/// The number whose cumulative probability first reaches `u`.
unsigned int poissonByInversion(double u, double mean) {
  double probability = ::exp(-mean), sum = probability;
  unsigned int count = 0;
  while (u > sum && probability > 0) {
    probability *= mean / ++count;
    sum += probability;
  }
  return count;
}

constexpr double kLargestInvertedMean = 500;

template <class Sequences> double normalOfBits(Sequences &sequences) {
  const unsigned int radius = sequences.bits();
  return normalPair(radius, sequences.bits()).x;
}

} // namespace
} // namespace relayout::random

using namespace relayout::random;

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  switch (type) {
  case CURAND_RNG_PSEUDO_DEFAULT:
  case CURAND_RNG_PSEUDO_XORWOW:
  case CURAND_RNG_PSEUDO_MRG32K3A:
  case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    *generator = relayout::host::makeHandle(curandGenerator_st{type, 0, 0, {}});
    return CURAND_STATUS_SUCCESS;
  case CURAND_RNG_PSEUDO_MTGP32:
  case CURAND_RNG_PSEUDO_MT19937:
  case CURAND_RNG_QUASI_DEFAULT:
  case CURAND_RNG_QUASI_SOBOL32:
  case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
  case CURAND_RNG_QUASI_SOBOL64:
  case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
    relayout::host::warn(relayout::Code::NotOnCpuExecutor,
                         "the CPU executor has cuRAND's generators XORWOW, MRG32K3A and "
                         "PHILOX4_32_10 alone: the last stands in for curandRngType_t %d, so that "
                         "the numbers are not those of a GPU",
                         static_cast<int>(type));
    *generator =
        relayout::host::makeHandle(curandGenerator_st{CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 0, {}});
    return CURAND_STATUS_SUCCESS;
  default:
    *generator = nullptr;
    return CURAND_STATUS_TYPE_ERROR;
  }
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
  return curandCreateGenerator(generator, type);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  return relayout::host::destroyHandle(generator) ? CURAND_STATUS_SUCCESS
                                                  : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGetVersion(int *version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
  *value = type == MAJOR_VERSION   ? CURAND_VER_MAJOR
           : type == MINOR_VERSION ? CURAND_VER_MINOR
                                   : CURAND_VER_PATCH;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  if (generator == nullptr)
    return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->sequences = std::monostate{};
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int dimensions) {
  constexpr unsigned int kMostDimensions = 20000;
  if (generator == nullptr)
    return CURAND_STATUS_NOT_INITIALIZED;
  return dimensions == 0 || dimensions > kMostDimensions ? CURAND_STATUS_OUT_OF_RANGE
                                                         : CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr)
    return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->sequences = std::monostate{};
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (generator == nullptr)
    return CURAND_STATUS_NOT_INITIALIZED;
  switch (order) {
  case CURAND_ORDERING_PSEUDO_BEST:
  case CURAND_ORDERING_PSEUDO_DEFAULT:
  case CURAND_ORDERING_PSEUDO_LEGACY:
  case CURAND_ORDERING_QUASI_DEFAULT:
    return CURAND_STATUS_SUCCESS;
  default:
    // Another order gives other values; better none than those of a different order.
    return CURAND_STATUS_OUT_OF_RANGE;
  }
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generate(generator, [](auto &) {});
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *output, size_t count) {
  return generate(generator, [&](auto &sequences) {
    for (std::size_t i = 0; i < count; ++i)
      output[i] = sequences.bits();
  });
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *output, size_t count) {
  return generate(generator, [&](auto &sequences) {
    for (std::size_t i = 0; i < count; ++i)
      output[i] = sequences.uniform();
  });
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *output,
                                           size_t count) {
  return generate(generator, [&](auto &sequences) {
    for (std::size_t i = 0; i < count; ++i)
      output[i] = sequences.uniformDouble();
  });
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *output, size_t count,
                                    float mean, float deviation) {
  return generateNormals<Floats>(generator, output, count,
                                 [=](float n) { return ::fmaf(deviation, n, mean); });
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *output, size_t count,
                                          double mean, double deviation) {
  return generateNormals<Doubles>(generator, output, count,
                                  [=](double n) { return ::fma(deviation, n, mean); });
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *output, size_t count,
                                       float mean, float deviation) {
  return generateNormals<Floats>(generator, output, count,
                                 [=](float n) { return ::expf(::fmaf(deviation, n, mean)); });
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *output,
                                             size_t count, double mean, double deviation) {
  return generateNormals<Doubles>(generator, output, count,
                                  [=](double n) { return ::exp(::fma(deviation, n, mean)); });
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *output,
                                     size_t count, double mean) {
  if (!(mean > 0))
    return CURAND_STATUS_OUT_OF_RANGE;
  return generate(generator, [&](auto &sequences) {
    for (std::size_t i = 0; i < count; ++i)
      output[i] = mean <= kLargestInvertedMean ? poissonByInversion(uniform(sequences.bits()), mean)
                                               : poissonOfNormal(normalOfBits(sequences), mean);
  });
}

} // extern "C"
