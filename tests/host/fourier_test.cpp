// SPDX-License-Identifier: Apache-2.0
// cuFFT on the executor, against sums written out, and there and back.
#include "recorded_block.h"

#include <cufft.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <vector>

// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places of a few items

namespace relayout::host::test {
namespace {

using Complex = std::complex<double>;

double signalAt(std::size_t i) { return std::sin(0.7 * static_cast<double>(i)) + 0.1 * (i % 5); }

/// The element of a transform, of a signal of three axes, by its definition.
Complex spectrumAt(const std::vector<Complex> &signal, std::array<int, 3> lengths,
                   std::array<int, 3> at, int direction) {
  Complex sum = 0;
  for (int x = 0; x < lengths[0]; ++x)
    for (int y = 0; y < lengths[1]; ++y)
      for (int z = 0; z < lengths[2]; ++z) {
        const double turns = static_cast<double>(at[0] * x) / lengths[0] +
                             static_cast<double>(at[1] * y) / lengths[1] +
                             static_cast<double>(at[2] * z) / lengths[2];
        sum += signal[(x * lengths[1] + y) * lengths[2] + z] *
               std::polar(1.0, direction * 2 * M_PI * turns);
      }
  return sum;
}

std::vector<Complex> signalOf(std::size_t count, bool isReal) {
  std::vector<Complex> signal;
  for (std::size_t i = 0; i < count; ++i)
    signal.emplace_back(signalAt(i), isReal ? 0.0 : signalAt(3 * i + 1));
  return signal;
}

TEST(Fourier, ComplexTransformsOfThreeAxesInBothDirections) {
  const std::array<int, 3> lengths{3, 4, 10};
  const std::vector<Complex> signal = signalOf(120, false);
  Device<cufftDoubleComplex> in(120), out(120);
  for (std::size_t i = 0; i < 120; ++i)
    in[i] = make_cuDoubleComplex(signal[i].real(), signal[i].imag());
  cufftHandle plan = 0;
  ASSERT_EQ(cufftPlan3d(&plan, 3, 4, 10, CUFFT_Z2Z), CUFFT_SUCCESS);
  for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
    ASSERT_EQ(cufftExecZ2Z(plan, in, out, direction), CUFFT_SUCCESS);
    for (const std::array<int, 3> at : {std::array{0, 0, 0}, {2, 1, 7}, {1, 3, 9}}) {
      const Complex expected = spectrumAt(signal, lengths, at, direction);
      const cufftDoubleComplex &found = out[(at[0] * 4 + at[1]) * 10 + at[2]];
      EXPECT_NEAR(found.x, expected.real(), 1e-10);
      EXPECT_NEAR(found.y, expected.imag(), 1e-10);
    }
  }
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_INVALID_PLAN);
}

TEST(Fourier, OfRealDataTheFirstHalfOfRowsIsKept) {
  const std::vector<Complex> signal = signalOf(6 * 7, true);
  Device<float> in(42), back(42);
  Device<cufftComplex> out(6 * 4);
  for (std::size_t i = 0; i < 42; ++i)
    in[i] = static_cast<float>(signal[i].real());
  cufftHandle forward = 0, inverse = 0;
  ASSERT_EQ(cufftPlan2d(&forward, 6, 7, CUFFT_R2C), CUFFT_SUCCESS);
  ASSERT_EQ(cufftPlan2d(&inverse, 6, 7, CUFFT_C2R), CUFFT_SUCCESS);
  ASSERT_EQ(cufftExecR2C(forward, in, out), CUFFT_SUCCESS);
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 4; ++column) {
      const Complex expected = spectrumAt(signal, {1, 6, 7}, {0, row, column}, CUFFT_FORWARD);
      EXPECT_NEAR(out[row * 4 + column].x, expected.real(), 1e-4);
      EXPECT_NEAR(out[row * 4 + column].y, expected.imag(), 1e-4);
    }
  ASSERT_EQ(cufftExecC2R(inverse, out, back), CUFFT_SUCCESS);
  for (std::size_t i = 0; i < 42; ++i)
    EXPECT_NEAR(back[i], 42 * in[i], 1e-3);
}

TEST(Fourier, RealDataInPlaceHavePaddedRows) {
  Device<double> apart(2 * 6);
  Device<cufftDoubleComplex> spectrum(2 * 4), inPlace(2 * 4);
  auto *const padded = reinterpret_cast<double *>(static_cast<cufftDoubleComplex *>(inPlace));
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t i = 0; i < 6; ++i)
      padded[row * 8 + i] = apart[row * 6 + i] = signalAt(row * 6 + i);
  cufftHandle plan = 0, back = 0;
  ASSERT_EQ(cufftPlan1d(&plan, 6, CUFFT_D2Z, 2), CUFFT_SUCCESS);
  ASSERT_EQ(cufftPlan1d(&back, 6, CUFFT_Z2D, 2), CUFFT_SUCCESS);
  ASSERT_EQ(cufftExecD2Z(plan, apart, spectrum), CUFFT_SUCCESS);
  ASSERT_EQ(cufftExecD2Z(plan, padded, inPlace), CUFFT_SUCCESS);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(spectrum[i].x, inPlace[i].x);
  ASSERT_EQ(cufftExecZ2D(back, inPlace, padded), CUFFT_SUCCESS);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(padded[row * 8 + i], 6 * apart[row * 6 + i], 1e-12);
}

TEST(Fourier, APlanOfManyNamesStridesAndDistances) {
  // Four columns of a table of eight rows.
  const int columns = 4;
  int rows = 8;
  std::vector<Complex> signal = signalOf(32, false);
  Device<cufftComplex> table(32);
  for (std::size_t i = 0; i < 32; ++i)
    table[i] =
        make_cuComplex(static_cast<float>(signal[i].real()), static_cast<float>(signal[i].imag()));
  cufftHandle plan = 0;
  size_t work = 1;
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecC2C(plan, table, table, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  ASSERT_EQ(cufftMakePlanMany(plan, 1, &rows, &rows, columns, 1, &rows, columns, 1, CUFFT_C2C,
                              columns, &work),
            CUFFT_SUCCESS);
  ASSERT_EQ(cufftExecC2C(plan, table, table, CUFFT_FORWARD), CUFFT_SUCCESS);
  for (int column = 0; column < columns; ++column) {
    std::vector<Complex> line;
    for (int row = 0; row < rows; ++row)
      line.push_back(signal[row * columns + column]);
    const Complex expected = spectrumAt(line, {1, 1, rows}, {0, 0, 3}, CUFFT_FORWARD);
    EXPECT_NEAR(table[3 * columns + column].x, expected.real(), 1e-4);
    EXPECT_NEAR(table[3 * columns + column].y, expected.imag(), 1e-4);
  }
}

TEST(Fourier, WrongCallsAreTold) {
  cufftHandle plan = 0;
  Device<cufftComplex> data(8);
  EXPECT_EQ(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  ASSERT_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecC2C(plan, data, data, 2), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftExecR2C(plan, reinterpret_cast<float *>(&data[0]), data), CUFFT_INVALID_TYPE);
  EXPECT_EQ(cufftExecC2C(plan + 100, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
}

} // namespace
} // namespace relayout::host::test

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
