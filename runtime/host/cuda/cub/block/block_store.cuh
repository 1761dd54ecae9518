// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a block's items to memory.
#pragma once

#include "../detail/arrangements.cuh"
#include "../iterator/cache_modified_output_iterator.cuh"

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
  detail::store<detail::Blocked>(thread, out, items);
}
template <class Out, class T, int kItems>
__device__ void StoreDirectBlocked(int thread, Out out, T (&items)[kItems], int valid) {
  detail::store<detail::Blocked>(thread, out, items, valid);
}
template <int kThreads, class Out, class T, int kItems>
__device__ void StoreDirectStriped(int thread, Out out, T (&items)[kItems]) {
  detail::store<detail::Striped<kThreads>>(thread, out, items);
}
template <int kThreads, class Out, class T, int kItems>
__device__ void StoreDirectStriped(int thread, Out out, T (&items)[kItems], int valid) {
  detail::store<detail::Striped<kThreads>>(thread, out, items, valid);
}
template <class Out, class T, int kItems>
__device__ void StoreDirectWarpStriped(int thread, Out out, T (&items)[kItems]) {
  detail::store<detail::WarpStriped>(thread, out, items);
}
template <class Out, class T, int kItems>
__device__ void StoreDirectWarpStriped(int thread, Out out, T (&items)[kItems], int valid) {
  detail::store<detail::WarpStriped>(thread, out, items, valid);
}
template <class T, int kItems>
__device__ void StoreDirectBlockedVectorized(int thread, T *out, T (&items)[kItems]) {
  StoreDirectBlocked(thread, out, items);
}

template <class T, int X, int Items, BlockStoreAlgorithm kAlgorithm = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockStore {
  using Arrangement = std::conditional_t<kAlgorithm == BLOCK_STORE_STRIPED,
                                         detail::Striped<X * Y * Z>, detail::Blocked>;

public:
  struct TempStorage {};

  __device__ BlockStore() {}
  __device__ explicit BlockStore(TempStorage &) {}

  template <class Out> __device__ void Store(Out out, T (&items)[Items]) {
    detail::store<Arrangement>(detail::threadRank(), out, items);
  }
  template <class Out> __device__ void Store(Out out, T (&items)[Items], int valid) {
    detail::store<Arrangement>(detail::threadRank(), out, items, valid);
  }
};

} // namespace cub
