// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a block's items from memory. Which algorithm moves them is not to be
// seen in the result, but for the arrangement.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

// Blocked: a thread has adjacent items; striped: items that lie a block apart.
template <class In, class T, int kItems>
__device__ void LoadDirectBlocked(int thread, In in, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i)
    items[i] = in[thread * kItems + i];
}
template <class In, class T, int kItems>
__device__ void LoadDirectBlocked(int thread, In in, T (&items)[kItems], int valid) {
  for (int i = 0; i < kItems && thread * kItems + i < valid; ++i)
    items[i] = in[thread * kItems + i];
}
template <int kThreads, class In, class T, int kItems>
__device__ void LoadDirectStriped(int thread, In in, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i)
    items[i] = in[thread + i * kThreads];
}
template <int kThreads, class In, class T, int kItems>
__device__ void LoadDirectStriped(int thread, In in, T (&items)[kItems], int valid) {
  for (int i = 0; i < kItems && thread + i * kThreads < valid; ++i)
    items[i] = in[thread + i * kThreads];
}

template <class T, int X, int Items, BlockLoadAlgorithm kAlgorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockLoad {
public:
  struct TempStorage {};

  __device__ BlockLoad() {}
  __device__ explicit BlockLoad(TempStorage &) {}

  template <class In> __device__ void Load(In in, T (&items)[Items]) {
    Load(in, items, X * Y * Z * Items);
  }
  template <class In> __device__ void Load(In in, T (&items)[Items], int valid) {
    const int thread = detail::threadRank();
    if constexpr (kAlgorithm == BLOCK_LOAD_STRIPED)
      LoadDirectStriped<X * Y * Z>(thread, in, items, valid);
    else
      LoadDirectBlocked(thread, in, items, valid);
  }
  template <class In, class Default>
  __device__ void Load(In in, T (&items)[Items], int valid, Default otherwise) {
    for (int i = 0; i < Items; ++i)
      items[i] = otherwise;
    Load(in, items, valid);
  }
};

} // namespace cub
