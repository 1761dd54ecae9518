// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a warp's items from memory.
#pragma once

#include "../detail/arrangements.cuh"
#include "../iterator/cache_modified_input_iterator.cuh"

namespace cub {

enum WarpLoadAlgorithm {
  WARP_LOAD_DIRECT,
  WARP_LOAD_STRIPED,
  WARP_LOAD_VECTORIZE,
  WARP_LOAD_TRANSPOSE
};

template <class T, int Items, WarpLoadAlgorithm kAlgorithm = WARP_LOAD_DIRECT, int Lanes = 32,
          int = 0>
class WarpLoad {
  using Arrangement =
      std::conditional_t<kAlgorithm == WARP_LOAD_STRIPED, detail::Striped<Lanes>, detail::Blocked>;

public:
  struct TempStorage {};

  __device__ WarpLoad() {}
  __device__ explicit WarpLoad(TempStorage &) {}

  template <class In> __device__ void Load(In in, T (&items)[Items]) {
    detail::load<Arrangement>(detail::Lanes<Lanes>::rank(), in, items);
  }
  template <class In> __device__ void Load(In in, T (&items)[Items], int valid) {
    detail::load<Arrangement>(detail::Lanes<Lanes>::rank(), in, items, valid);
  }
  template <class In, class Default>
  __device__ void Load(In in, T (&items)[Items], int valid, Default otherwise) {
    detail::load<Arrangement>(detail::Lanes<Lanes>::rank(), in, items, valid, otherwise);
  }
};

} // namespace cub
