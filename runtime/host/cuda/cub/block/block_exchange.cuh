// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: items change threads. All of a block's pass through the temporary
// storage, at the places they have in the block.
#pragma once

#include "../detail/arrangements.cuh"

namespace cub {

template <class T, int X, int Items, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
  using Striped = detail::Striped<X * Y * Z>;

public:
  using TempStorage = detail::Storage<T, X * Y * Z * Items>;

  __device__ BlockExchange() : storage_(detail::blockStorage<TempStorage>()) {}
  __device__ explicit BlockExchange(TempStorage &storage) : storage_(storage) {}

#define RELAYOUT_EXCHANGE(name, from, to)                                                          \
  template <class Out> __device__ void name(const T(&items)[Items], Out(&results)[Items]) {        \
    move<from, to>(items, results);                                                                \
  }                                                                                                \
  __device__ void name(T(&items)[Items]) { move<from, to>(items, items); }
  RELAYOUT_EXCHANGE(StripedToBlocked, Striped, detail::Blocked)
  RELAYOUT_EXCHANGE(BlockedToStriped, detail::Blocked, Striped)
  RELAYOUT_EXCHANGE(WarpStripedToBlocked, detail::WarpStriped, detail::Blocked)
  RELAYOUT_EXCHANGE(BlockedToWarpStriped, detail::Blocked, detail::WarpStriped)
#undef RELAYOUT_EXCHANGE

  // Each item goes to a place in the block.
  template <class Out, class Place>
  __device__ void ScatterToBlocked(const T (&items)[Items], Out (&results)[Items],
                                   Place (&places)[Items]) {
    scatter<detail::Blocked>(items, results, places, Everywhere());
  }
  template <class Place>
  __device__ void ScatterToBlocked(T (&items)[Items], Place (&places)[Items]) {
    ScatterToBlocked(items, items, places);
  }
  template <class Out, class Place>
  __device__ void ScatterToStriped(const T (&items)[Items], Out (&results)[Items],
                                   Place (&places)[Items]) {
    scatter<Striped>(items, results, places, Everywhere());
  }
  template <class Place>
  __device__ void ScatterToStriped(T (&items)[Items], Place (&places)[Items]) {
    ScatterToStriped(items, items, places);
  }
  /// Items with a negative place go nowhere.
  template <class Out, class Place>
  __device__ void ScatterToStripedGuarded(const T (&items)[Items], Out (&results)[Items],
                                          Place (&places)[Items]) {
    scatter<Striped>(items, results, places, NotBelowZero<Place>{places});
  }
  template <class Place>
  __device__ void ScatterToStripedGuarded(T (&items)[Items], Place (&places)[Items]) {
    ScatterToStripedGuarded(items, items, places);
  }
  template <class Out, class Place, class Flag>
  __device__ void ScatterToStripedFlagged(const T (&items)[Items], Out (&results)[Items],
                                          Place (&places)[Items], Flag (&isValid)[Items]) {
    scatter<Striped>(items, results, places, Flagged<Flag>{isValid});
  }
  template <class Place, class Flag>
  __device__ void ScatterToStripedFlagged(T (&items)[Items], Place (&places)[Items],
                                          Flag (&isValid)[Items]) {
    ScatterToStripedFlagged(items, items, places, isValid);
  }

private:
  struct Everywhere {
    __device__ bool operator()(int) const { return true; }
  };
  template <class Place> struct NotBelowZero {
    Place *places;
    __device__ bool operator()(int i) const { return static_cast<long long>(places[i]) >= 0; }
  };
  template <class Flag> struct Flagged {
    Flag *flags;
    __device__ bool operator()(int i) const { return static_cast<bool>(flags[i]); }
  };

  template <class From, class To, class Out>
  __device__ void move(const T (&items)[Items], Out (&results)[Items]) {
    detail::store<From>(detail::threadRank(), storage_.values(), items);
    __syncthreads();
    detail::load<To>(detail::threadRank(), storage_.values(), results);
  }
  template <class To, class Out, class Place, class IsSent>
  __device__ void scatter(const T (&items)[Items], Out (&results)[Items], Place (&places)[Items],
                          IsSent isSent) {
    for (int i = 0; i < Items; ++i)
      if (isSent(i))
        storage_.values()[places[i]] = items[i];
    __syncthreads();
    detail::load<To>(detail::threadRank(), storage_.values(), results);
  }

  TempStorage &storage_;
};

} // namespace cub
