// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what adjacent items of a block make together.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

namespace detail {

/// Every thread's first and last item, for the threads beside it.
template <class T, int kThreads> struct Borders {
  Storage<T, kThreads> first, last;

  template <int kItems> __device__ void share(const T (&items)[kItems]) {
    first.values()[threadRank()] = items[0];
    last.values()[threadRank()] = items[kItems - 1];
    __syncthreads();
  }
  /// The item before this thread's first one, and that after its last one; null: there is none.
  __device__ T *before() { return threadRank() > 0 ? last.values() + threadRank() - 1 : nullptr; }
  __device__ T *after() {
    return threadRank() + 1 < kThreads ? first.values() + threadRank() + 1 : nullptr;
  }
};

} // namespace detail

/// The first item of the block, or the last one, stays as it is, unless its neighbour is given; so
/// do those that are not valid.
template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockAdjacentDifference {
  static constexpr int kThreads = X * Y * Z;

public:
  using TempStorage = detail::Borders<T, kThreads>;

  __device__ BlockAdjacentDifference() : storage_(detail::blockStorage<TempStorage>()) {}
  __device__ explicit BlockAdjacentDifference(TempStorage &storage) : storage_(storage) {}

  template <int kItems, class Out, class Operation>
  __device__ void SubtractLeft(T (&items)[kItems], Out (&results)[kItems], Operation operation) {
    left(items, results, operation, kThreads * kItems, nullptr);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractLeft(T (&items)[kItems], Out (&results)[kItems], Operation operation,
                               T ofTileBefore) {
    left(items, results, operation, kThreads * kItems, &ofTileBefore);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractLeftPartialTile(T (&items)[kItems], Out (&results)[kItems],
                                          Operation operation, int valid) {
    left(items, results, operation, valid, nullptr);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractLeftPartialTile(T (&items)[kItems], Out (&results)[kItems],
                                          Operation operation, int valid, T ofTileBefore) {
    left(items, results, operation, valid, &ofTileBefore);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractRight(T (&items)[kItems], Out (&results)[kItems], Operation operation) {
    right(items, results, operation, kThreads * kItems, nullptr);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractRight(T (&items)[kItems], Out (&results)[kItems], Operation operation,
                                T ofTileAfter) {
    right(items, results, operation, kThreads * kItems, &ofTileAfter);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractRightPartialTile(T (&items)[kItems], Out (&results)[kItems],
                                           Operation operation, int valid) {
    right(items, results, operation, valid, nullptr);
  }

private:
  // Results may be the items themselves.
  template <int kItems, class Out, class Operation>
  __device__ void left(T (&items)[kItems], Out (&results)[kItems], Operation operation, int valid,
                       T *ofTileBefore) {
    storage_.share(items);
    T *const before = storage_.before() ? storage_.before() : ofTileBefore;
    for (int i = kItems - 1; i >= 0; --i) {
      const bool isValid = detail::threadRank() * kItems + i < valid;
      if (isValid && (i > 0 || before))
        results[i] = operation(items[i], i > 0 ? items[i - 1] : *before);
      else
        results[i] = items[i];
    }
  }
  template <int kItems, class Out, class Operation>
  __device__ void right(T (&items)[kItems], Out (&results)[kItems], Operation operation, int valid,
                        T *ofTileAfter) {
    storage_.share(items);
    T *const after = storage_.after() ? storage_.after() : ofTileAfter;
    for (int i = 0; i < kItems; ++i) {
      // The last valid item of a partial tile has nothing after it.
      const int place = detail::threadRank() * kItems + i;
      const bool isLast = i + 1 == kItems;
      if ((place + 1 < valid || valid == kThreads * kItems) && (!isLast || after))
        results[i] = operation(items[i], isLast ? *after : items[i + 1]);
      else
        results[i] = items[i];
    }
  }

  TempStorage &storage_;
};

} // namespace cub
