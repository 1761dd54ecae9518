// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: items change a warp's lanes.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <class T, int Items, int Lanes = 32, WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
  using All = detail::LaneValues<detail::Items<T, Items>, Lanes>;

public:
  using TempStorage = detail::Storage<T, Items * Lanes>;

  WarpExchange() = delete;
  __device__ explicit WarpExchange(TempStorage &storage) : storage_(storage) {}

  template <class Out>
  __device__ void BlockedToStriped(const T (&items)[Items], Out (&results)[Items]) {
    const All all(detail::Items<T, Items>::of(items));
    for (int i = 0; i < Items; ++i) {
      const int place = rank() + i * Lanes;
      results[i] = static_cast<Out>(all[place / Items].items[place % Items]);
    }
  }
  template <class Out>
  __device__ void StripedToBlocked(const T (&items)[Items], Out (&results)[Items]) {
    const All all(detail::Items<T, Items>::of(items));
    for (int i = 0; i < Items; ++i) {
      const int place = rank() * Items + i;
      results[i] = static_cast<Out>(all[place % Lanes].items[place / Lanes]);
    }
  }
  /// Each item goes to a place in the warp.
  template <class Out, class Place>
  __device__ void ScatterToStriped(const T (&items)[Items], Out (&results)[Items],
                                   Place (&places)[Items]) {
    for (int i = 0; i < Items; ++i)
      storage_.values()[places[i]] = items[i];
    detail::Lanes<Lanes>::sync();
    for (int i = 0; i < Items; ++i)
      results[i] = static_cast<Out>(storage_.values()[rank() + i * Lanes]);
    detail::Lanes<Lanes>::sync();
  }
  template <class Place>
  __device__ void ScatterToStriped(T (&items)[Items], Place (&places)[Items]) {
    ScatterToStriped(items, items, places);
  }

private:
  __device__ static int rank() { return detail::Lanes<Lanes>::rank(); }

  TempStorage &storage_;
};

} // namespace cub
