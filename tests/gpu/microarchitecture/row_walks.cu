// SPDX-License-Identifier: Apache-2.0
// Threads that walk along rows of their own, for counters of what L1 and L2 keep of them:
//   ncu --csv --metrics … --log-file counters.csv ./row_walks BLOCKS
// BLOCKS share each of kSms SMs; each block has 256 rows of 16 elements, 64 KiB.
#include "../check.h"

#include <cstdio>
#include <cstdlib>

const int kSms = 132;
const int kThreads = 128;
const int kRows = 256, kColumns = 16;
const int kRounds = 2; // each with rows of its own

struct Element {
  double re, im;
};

// Passes: how often all rows are read. Stores: writes as much to another array. Walkers: rows that
// a block reads at a time; where they are fewer than its threads, its warps read the same ones.
template <int Passes, bool Stores, int Walkers>
__global__ void __launch_bounds__(kThreads) walk(const Element *in, Element *out, double *sums) {
  double sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t first = (std::size_t)(round * gridDim.x + blockIdx.x) * kRows * kColumns;
#pragma unroll 1
    for (int pass = 0; pass < Passes; ++pass)
#pragma unroll 1
      for (int row = threadIdx.x % Walkers; row < kRows; row += Walkers)
#pragma unroll 1
        for (int column = 0; column < kColumns; ++column) {
          const std::size_t at = first + row * kColumns + column;
          const double re = in[at].re, im = in[at].im;
          sum += re * im;
          if constexpr (Stores) {
            out[at].re = sum;
            out[at].im = re;
          }
        }
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  const int blocks = argc == 2 ? std::atoi(argv[1]) : 0;
  if (blocks < 1 || blocks > 16) {
    std::fprintf(stderr, "usage: %s BLOCKS, 1 to 16\n", argv[0]);
    return 2;
  }
  const std::size_t elements = (std::size_t)kSms * blocks * kRounds * kRows * kColumns;
  Element *in = nullptr, *out = nullptr;
  double *sums = nullptr;
  CHECK(cudaMalloc(&in, elements * sizeof(Element)));
  CHECK(cudaMalloc(&out, elements * sizeof(Element)));
  CHECK(cudaMalloc(&sums, kSms * blocks * kThreads * sizeof(double)));
  CHECK(cudaMemset(in, 0, elements * sizeof(Element)));
  walk<1, false, kThreads><<<kSms * blocks, kThreads>>>(in, out, sums);
  walk<3, false, kThreads><<<kSms * blocks, kThreads>>>(in, out, sums);
  walk<1, true, kThreads><<<kSms * blocks, kThreads>>>(in, out, sums);
  walk<3, true, kThreads><<<kSms * blocks, kThreads>>>(in, out, sums);
  walk<2, false, 32><<<kSms * blocks, kThreads>>>(in, out, sums);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
