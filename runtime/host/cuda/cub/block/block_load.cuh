// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a block's items from memory. Which algorithm moves them is not to be
// seen in the result, but for the arrangement.
#pragma once

#include "../detail/arrangements.cuh"
#include "../iterator/cache_modified_input_iterator.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

template <class In, class T, int kItems>
__device__ void LoadDirectBlocked(int thread, In in, T (&items)[kItems]) {
  detail::load<detail::Blocked>(thread, in, items);
}
template <class In, class T, int kItems>
__device__ void LoadDirectBlocked(int thread, In in, T (&items)[kItems], int valid) {
  detail::load<detail::Blocked>(thread, in, items, valid);
}
template <class In, class T, int kItems, class Default>
__device__ void LoadDirectBlocked(int thread, In in, T (&items)[kItems], int valid,
                                  Default otherwise) {
  detail::load<detail::Blocked>(thread, in, items, valid, otherwise);
}
template <int kThreads, class In, class T, int kItems>
__device__ void LoadDirectStriped(int thread, In in, T (&items)[kItems]) {
  detail::load<detail::Striped<kThreads>>(thread, in, items);
}
template <int kThreads, class In, class T, int kItems>
__device__ void LoadDirectStriped(int thread, In in, T (&items)[kItems], int valid) {
  detail::load<detail::Striped<kThreads>>(thread, in, items, valid);
}
template <int kThreads, class In, class T, int kItems, class Default>
__device__ void LoadDirectStriped(int thread, In in, T (&items)[kItems], int valid,
                                  Default otherwise) {
  detail::load<detail::Striped<kThreads>>(thread, in, items, valid, otherwise);
}
template <class In, class T, int kItems>
__device__ void LoadDirectWarpStriped(int thread, In in, T (&items)[kItems]) {
  detail::load<detail::WarpStriped>(thread, in, items);
}
template <class In, class T, int kItems>
__device__ void LoadDirectWarpStriped(int thread, In in, T (&items)[kItems], int valid) {
  detail::load<detail::WarpStriped>(thread, in, items, valid);
}
template <class In, class T, int kItems, class Default>
__device__ void LoadDirectWarpStriped(int thread, In in, T (&items)[kItems], int valid,
                                      Default otherwise) {
  detail::load<detail::WarpStriped>(thread, in, items, valid, otherwise);
}
template <class T, int kItems>
__device__ void LoadDirectBlockedVectorized(int thread, T *in, T (&items)[kItems]) {
  LoadDirectBlocked(thread, in, items);
}

template <class T, int X, int Items, BlockLoadAlgorithm kAlgorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockLoad {
  using Arrangement = std::conditional_t<kAlgorithm == BLOCK_LOAD_STRIPED,
                                         detail::Striped<X * Y * Z>, detail::Blocked>;

public:
  struct TempStorage {};

  __device__ BlockLoad() {}
  __device__ explicit BlockLoad(TempStorage &) {}

  template <class In> __device__ void Load(In in, T (&items)[Items]) {
    detail::load<Arrangement>(detail::threadRank(), in, items);
  }
  template <class In> __device__ void Load(In in, T (&items)[Items], int valid) {
    detail::load<Arrangement>(detail::threadRank(), in, items, valid);
  }
  template <class In, class Default>
  __device__ void Load(In in, T (&items)[Items], int valid, Default otherwise) {
    detail::load<Arrangement>(detail::threadRank(), in, items, valid, otherwise);
  }
};

} // namespace cub
