// SPDX-License-Identifier: Apache-2.0
// cuRAND on the CPU executor: jumps of XORWOW. A draw is a linear map over GF(2) of 160 bits, so
// 2^k draws are its 2^k-th power, found by squaring; one for each bit of a jump is applied.
#include "relayout/random/engines.h"

#include <array>
#include <cstdint>
#include <memory>

namespace relayout::random {
namespace {

using Vector = std::array<std::uint32_t, 5>;

constexpr int kBits = 160;
constexpr int kNibbles = kBits / 4;
constexpr int kSequenceBits = 67; ///< a sequence is 2^67 draws
constexpr int kPowers = kSequenceBits + 64;

/// A linear map, as the images of every value of every 4 bits of its argument.
class Map {
public:
  template <class Image> explicit Map(Image imageOfBit) {
    for (int nibble = 0; nibble < kNibbles; ++nibble)
      for (std::uint32_t value = 1; value < 16; ++value) {
        const int lowest = __builtin_ctz(value);
        Vector image = images_[nibble][value & (value - 1)];
        const Vector bit = imageOfBit(4 * nibble + lowest);
        for (int i = 0; i < 5; ++i)
          image[i] ^= bit[i];
        images_[nibble][value] = image;
      }
  }

  [[nodiscard]] Vector operator()(const Vector &argument) const {
    Vector result{};
    for (int nibble = 0; nibble < kNibbles; ++nibble) {
      const std::uint32_t value = argument[nibble / 8] >> (4 * (nibble % 8)) & 15;
      for (int i = 0; i < 5; ++i)
        result[i] ^= images_[nibble][value][i];
    }
    return result;
  }

private:
  std::array<std::array<Vector, 16>, kNibbles> images_{};
};

Vector unitVector(int bit) {
  Vector unit{};
  unit[bit / 32] = 1u << bit % 32;
  return unit;
}

Vector oneDraw(const Vector &from) {
  curandStateXORWOW_t state{};
  for (int i = 0; i < 5; ++i)
    state.v[i] = from[i];
  curand(&state);
  return {state.v[0], state.v[1], state.v[2], state.v[3], state.v[4]};
}

/// powers()[k] is 2^k draws.
const std::array<std::unique_ptr<Map>, kPowers> &powers() {
  static const auto *const kMaps = [] {
    auto *maps = new std::array<std::unique_ptr<Map>, kPowers>;
    (*maps)[0] = std::make_unique<Map>([](int bit) { return oneDraw(unitVector(bit)); });
    for (int k = 1; k < kPowers; ++k) {
      const Map &half = *(*maps)[k - 1];
      (*maps)[k] = std::make_unique<Map>([&](int bit) { return half(half(unitVector(bit))); });
    }
    return maps;
  }();
  return *kMaps;
}

void jump(Vector &state, unsigned long long count, int logStride) {
  for (int k = logStride; count != 0; ++k, count >>= 1)
    if ((count & 1) != 0)
      state = (*powers()[k])(state);
}

} // namespace

void skipXorwow(unsigned int (&v)[5], unsigned long long sequences, unsigned long long draws) {
  Vector state{v[0], v[1], v[2], v[3], v[4]};
  jump(state, sequences, kSequenceBits);
  jump(state, draws, 0);
  for (int i = 0; i < 5; ++i)
    v[i] = state[i];
}

} // namespace relayout::random
