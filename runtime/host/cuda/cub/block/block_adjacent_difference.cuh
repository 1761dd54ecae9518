// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what adjacent items of a block make together, and where they differ.
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
};

} // namespace detail

/// The first item of the block, or the last one, stays as it is, unless its neighbour is given.
template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockAdjacentDifference {
public:
  using TempStorage = detail::Borders<T, X * Y * Z>;

  __device__ explicit BlockAdjacentDifference(TempStorage &storage) : storage_(storage) {}

  template <int kItems, class Out, class Operation>
  __device__ void SubtractLeft(const T (&items)[kItems], Out (&results)[kItems],
                               Operation operation) {
    const T *const before = left(items);
    subtractLeft(items, results, operation, before);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractLeft(const T (&items)[kItems], Out (&results)[kItems],
                               Operation operation, T ofTileBefore) {
    const T *const before = left(items);
    subtractLeft(items, results, operation, before ? before : &ofTileBefore);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractRight(const T (&items)[kItems], Out (&results)[kItems],
                                Operation operation) {
    const T *const after = right(items);
    subtractRight(items, results, operation, after);
  }
  template <int kItems, class Out, class Operation>
  __device__ void SubtractRight(const T (&items)[kItems], Out (&results)[kItems],
                                Operation operation, T ofTileAfter) {
    const T *const after = right(items);
    subtractRight(items, results, operation, after ? after : &ofTileAfter);
  }

private:
  template <int kItems> __device__ const T *left(const T (&items)[kItems]) {
    storage_.share(items);
    const int rank = detail::threadRank();
    return rank > 0 ? storage_.last.values() + rank - 1 : nullptr;
  }
  template <int kItems> __device__ const T *right(const T (&items)[kItems]) {
    storage_.share(items);
    const int rank = detail::threadRank();
    return rank + 1 < X * Y * Z ? storage_.first.values() + rank + 1 : nullptr;
  }
  // Results may be the items themselves.
  template <int kItems, class Out, class Operation>
  __device__ static void subtractLeft(const T (&items)[kItems], Out (&results)[kItems],
                                      Operation operation, const T *before) {
    for (int i = kItems - 1; i > 0; --i)
      results[i] = operation(items[i], items[i - 1]);
    results[0] = before ? operation(items[0], *before) : items[0];
  }
  template <int kItems, class Out, class Operation>
  __device__ static void subtractRight(const T (&items)[kItems], Out (&results)[kItems],
                                       Operation operation, const T *after) {
    for (int i = 0; i + 1 < kItems; ++i)
      results[i] = operation(items[i], items[i + 1]);
    results[kItems - 1] = after ? operation(items[kItems - 1], *after) : items[kItems - 1];
  }

  TempStorage &storage_;
};

/// The first item of the block is a head and its last one a tail, unless its neighbour is given.
template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockDiscontinuity {
public:
  using TempStorage = detail::Borders<T, X * Y * Z>;

  __device__ explicit BlockDiscontinuity(TempStorage &storage) : storage_(storage) {}

  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeads(Flag (&flags)[kItems], T (&items)[kItems], Differ differ) {
    storage_.share(items);
    const int rank = detail::threadRank();
    for (int i = 0; i < kItems; ++i)
      flags[i] = i > 0      ? differ(items[i - 1], items[i])
                 : rank > 0 ? differ(storage_.last.values()[rank - 1], items[0])
                            : Flag(1);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeads(Flag (&flags)[kItems], T (&items)[kItems], Differ differ,
                            T ofTileBefore) {
    FlagHeads(flags, items, differ);
    if (detail::threadRank() == 0)
      flags[0] = differ(ofTileBefore, items[0]);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagTails(Flag (&flags)[kItems], T (&items)[kItems], Differ differ) {
    storage_.share(items);
    const int rank = detail::threadRank();
    for (int i = 0; i < kItems; ++i)
      flags[i] = i + 1 < kItems         ? differ(items[i], items[i + 1])
                 : rank + 1 < X * Y * Z ? differ(items[i], storage_.first.values()[rank + 1])
                                        : Flag(1);
  }

private:
  TempStorage &storage_;
};

} // namespace cub
