// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a warp's items to memory.
#pragma once

#include "../detail/arrangements.cuh"
#include "../iterator/cache_modified_output_iterator.cuh"

namespace cub {

enum WarpStoreAlgorithm {
  WARP_STORE_DIRECT,
  WARP_STORE_STRIPED,
  WARP_STORE_VECTORIZE,
  WARP_STORE_TRANSPOSE
};

template <class T, int Items, WarpStoreAlgorithm kAlgorithm = WARP_STORE_DIRECT, int Lanes = 32,
          int = 0>
class WarpStore {
  using Arrangement =
      std::conditional_t<kAlgorithm == WARP_STORE_STRIPED, detail::Striped<Lanes>, detail::Blocked>;

public:
  struct TempStorage {};

  __device__ WarpStore() {}
  __device__ explicit WarpStore(TempStorage &) {}

  template <class Out> __device__ void Store(Out out, T (&items)[Items]) {
    detail::store<Arrangement>(detail::Lanes<Lanes>::rank(), out, items);
  }
  template <class Out> __device__ void Store(Out out, T (&items)[Items], int valid) {
    detail::store<Arrangement>(detail::Lanes<Lanes>::rank(), out, items, valid);
  }
};

} // namespace cub
