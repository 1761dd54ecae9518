// SPDX-License-Identifier: Apache-2.0
// cuRAND on the CPU executor: jumps of MRG32k3a. Each of its two recurrences is a 3 × 3 matrix
// modulo a 32-bit prime, so 2^k draws are the matrix's 2^k-th power.
#include "relayout/random/engines.h"

#include <array>
#include <cstdint>

namespace relayout::random {
namespace {

using Matrix = std::array<std::array<std::uint64_t, 3>, 3>;

constexpr int kPowers = 127 + 64;

Matrix product(const Matrix &a, const Matrix &b, std::uint64_t modulus) {
  Matrix result{};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      std::uint64_t sum = 0;
      for (int k = 0; k < 3; ++k)
        sum = (sum + a[row][k] * b[k][column] % modulus) % modulus;
      result[row][column] = sum;
    }
  return result;
}

/// One recurrence's matrix to the powers 2^0, 2^1 …
class Powers {
public:
  Powers(const Matrix &step, std::uint64_t modulus) : modulus_(modulus) {
    powers_[0] = step;
    for (int k = 1; k < kPowers; ++k)
      powers_[k] = product(powers_[k - 1], powers_[k - 1], modulus);
  }

  void jump(unsigned int (&state)[3], unsigned long long count, unsigned int logStride) const {
    for (unsigned int k = logStride; count != 0; ++k, count >>= 1)
      if ((count & 1) != 0)
        apply(powers_[k], state);
  }

private:
  void apply(const Matrix &matrix, unsigned int (&state)[3]) const {
    std::uint64_t next[3];
    for (int row = 0; row < 3; ++row) {
      std::uint64_t sum = 0;
      for (int k = 0; k < 3; ++k)
        sum = (sum + matrix[row][k] * state[k] % modulus_) % modulus_;
      next[row] = sum;
    }
    for (int row = 0; row < 3; ++row)
      state[row] = static_cast<unsigned int>(next[row]);
  }

  std::uint64_t modulus_;
  std::array<Matrix, kPowers> powers_;
};

const Powers &first() {
  static const Powers kPowersOfFirst({{{0, 1, 0}, {0, 0, 1}, {kMrgModulus1 - kMrgA13, kMrgA12, 0}}},
                                     kMrgModulus1);
  return kPowersOfFirst;
}
const Powers &second() {
  static const Powers kPowersOfSecond(
      {{{0, 1, 0}, {0, 0, 1}, {kMrgModulus2 - kMrgA23, 0, kMrgA21}}}, kMrgModulus2);
  return kPowersOfSecond;
}

} // namespace

void skipMrg(unsigned int (&s1)[3], unsigned int (&s2)[3], unsigned long long count,
             unsigned int logStride) {
  first().jump(s1, count, logStride);
  second().jump(s2, count, logStride);
}

} // namespace relayout::random
