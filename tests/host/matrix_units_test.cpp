// SPDX-License-Identifier: Apache-2.0
// The matrix units' wmma on the executor: products of whole tiles, and where their elements lie.
#include "recorded_block.h"

#include <mma.h>

#include <gtest/gtest.h>

#include <type_traits>

namespace relayout::host::test {
namespace {

namespace wmma = nvcuda::wmma;

/// d = a * b + d of one tile; `a` in rows, `b` in columns, each as wide as it has to be.
template <int m, int n, int k, class T, class Memory, class Sum>
void tile(const Memory *a, const Memory *b, Sum *d) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> sums;
  wmma::load_matrix_sync(left, a, k);
  wmma::load_matrix_sync(right, b, k);
  wmma::load_matrix_sync(sums, d, n, wmma::mem_row_major);
  wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(d, sums, n, wmma::mem_row_major);
}

template <int m, int n, int k, class T, class Memory, class Sum> void expectProduct() {
  Device<Memory> a(m * k), b(k * n);
  Device<Sum> d(m * n);
  const int least = std::is_same_v<T, unsigned char> ? 0 : -4;
  const auto ofA = [&](int row, int at) { return (row * 5 + at * 3) % 11 + least; };
  const auto ofB = [](int at, int column) { return (at * 7 + column * 2) % 13; };
  for (int at = 0; at < k; ++at) {
    for (int row = 0; row < m; ++row)
      a[row * k + at] = static_cast<Memory>(static_cast<float>(ofA(row, at)));
    for (int column = 0; column < n; ++column)
      b[column * k + at] = static_cast<Memory>(static_cast<float>(ofB(at, column)));
  }
  for (int i = 0; i < m * n; ++i)
    d[i] = static_cast<Sum>(static_cast<float>(i % 17));
  launch("tile", Threads::Fibers, {1, 32}, tile<m, n, k, T, Memory, Sum>, a, b, d);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      int sum = (row * n + column) % 17;
      for (int at = 0; at < k; ++at)
        sum += ofA(row, at) * ofB(at, column);
      EXPECT_EQ(static_cast<float>(d[row * n + column]), static_cast<float>(sum))
          << m << "x" << n << "x" << k << " at " << row << ", " << column;
    }
}

TEST(MatrixUnits, ProductsOfAllShapesInHalfPrecision) {
  expectProduct<16, 16, 16, __half, __half, float>();
  expectProduct<32, 8, 16, __half, __half, float>();
  expectProduct<8, 32, 16, __half, __half, __half>();
}

TEST(MatrixUnits, ProductsInOtherPrecisions) {
  expectProduct<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>();
  expectProduct<16, 16, 8, wmma::precision::tf32, float, float>();
  expectProduct<8, 8, 4, double, double, double>();
  expectProduct<16, 16, 16, signed char, signed char, int>();
  expectProduct<32, 8, 16, unsigned char, unsigned char, int>();
}

void scaled(__half *tile, int *counts) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> factors;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sums;
  wmma::fill_fragment(factors, __float2half(1.0f));
  wmma::load_matrix_sync(sums, tile, 16, wmma::mem_col_major);
  for (int i = 0; i < sums.num_elements; ++i)
    sums.x[i] = sums.x[i] + factors.x[i];
  wmma::store_matrix_sync(tile, sums, 16, wmma::mem_col_major);
  counts[0] = factors.num_elements;
  counts[1] = sums.num_elements;
}

TEST(MatrixUnits, FragmentsHaveAsManyElementsAsNvidias) {
  Device<__half> tile(256);
  Device<int> counts(2);
  for (int i = 0; i < 256; ++i)
    tile[i] = __float2half(static_cast<float>(i));
  launch("scaled", Threads::Fibers, {1, 32}, scaled, tile, counts);
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(__half2float(tile[i]), static_cast<float>(i + 1));
  EXPECT_EQ(counts[0], 16);
  EXPECT_EQ(counts[1], 8);
}

TEST(MatrixUnits, AFactorInTf32HasTenBits) {
  EXPECT_EQ(wmma::__float_to_tf32(1.0f + 0x1p-11f), 1.0f + 0x1p-10f);
  EXPECT_EQ(wmma::__float_to_tf32(1.0f + 0x1p-12f), 1.0f);
}

} // namespace
} // namespace relayout::host::test
