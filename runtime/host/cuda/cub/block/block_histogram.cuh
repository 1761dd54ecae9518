// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: counts of a block's items.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int Items, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int Y = 1, int Z = 1, int = 0>
class BlockHistogram {
  static constexpr int kThreads = X * Y * Z;

public:
  struct TempStorage {};

  __device__ BlockHistogram() {}
  __device__ explicit BlockHistogram(TempStorage &) {}

  template <class Counter> __device__ void InitHistogram(Counter histogram[Bins]) {
    for (int i = detail::threadRank(); i < Bins; i += kThreads)
      histogram[i] = 0;
  }
  template <class Counter> __device__ void Histogram(T (&items)[Items], Counter histogram[Bins]) {
    InitHistogram(histogram);
    __syncthreads();
    Composite(items, histogram);
  }
  template <class Counter> __device__ void Composite(T (&items)[Items], Counter histogram[Bins]) {
    __syncthreads();
    for (int i = 0; i < Items; ++i)
      count(histogram[static_cast<unsigned int>(items[i])]);
    __syncthreads();
  }

private:
  // Other blocks may count in the same place.
  template <class Counter> __device__ static void count(Counter &counter) {
    if constexpr (std::is_integral<Counter>::value)
      __atomic_fetch_add(&counter, static_cast<Counter>(1), __ATOMIC_RELAXED);
    else
      atomicAdd(&counter, static_cast<Counter>(1));
  }
};

} // namespace cub
