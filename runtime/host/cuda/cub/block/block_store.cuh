// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a block's items to memory.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class Out, class T, int kItems>
__device__ void StoreDirectBlocked(int thread, Out out, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i)
    out[thread * kItems + i] = items[i];
}
template <class Out, class T, int kItems>
__device__ void StoreDirectBlocked(int thread, Out out, T (&items)[kItems], int valid) {
  for (int i = 0; i < kItems && thread * kItems + i < valid; ++i)
    out[thread * kItems + i] = items[i];
}
template <int kThreads, class Out, class T, int kItems>
__device__ void StoreDirectStriped(int thread, Out out, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i)
    out[thread + i * kThreads] = items[i];
}
template <int kThreads, class Out, class T, int kItems>
__device__ void StoreDirectStriped(int thread, Out out, T (&items)[kItems], int valid) {
  for (int i = 0; i < kItems && thread + i * kThreads < valid; ++i)
    out[thread + i * kThreads] = items[i];
}

template <class T, int X, int Items, BlockStoreAlgorithm kAlgorithm = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockStore {
public:
  struct TempStorage {};

  __device__ BlockStore() {}
  __device__ explicit BlockStore(TempStorage &) {}

  template <class Out> __device__ void Store(Out out, T (&items)[Items]) {
    Store(out, items, X * Y * Z * Items);
  }
  template <class Out> __device__ void Store(Out out, T (&items)[Items], int valid) {
    const int thread = detail::threadRank();
    if constexpr (kAlgorithm == BLOCK_STORE_STRIPED)
      StoreDirectStriped<X * Y * Z>(thread, out, items, valid);
    else
      StoreDirectBlocked(thread, out, items, valid);
  }
};

} // namespace cub
