// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: where adjacent items of a block differ.
#pragma once

#include "block_adjacent_difference.cuh"

namespace cub {

/// The first item of the block is a head and its last one a tail, unless its neighbour is given.
template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockDiscontinuity {
public:
  using TempStorage = detail::Borders<T, X * Y * Z>;

  __device__ BlockDiscontinuity() : storage_(detail::blockStorage<TempStorage>()) {}
  __device__ explicit BlockDiscontinuity(TempStorage &storage) : storage_(storage) {}

  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeads(Flag (&flags)[kItems], T (&items)[kItems], Differ differ) {
    storage_.share(items);
    heads(flags, items, differ, nullptr);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeads(Flag (&flags)[kItems], T (&items)[kItems], Differ differ,
                            T ofTileBefore) {
    storage_.share(items);
    heads(flags, items, differ, &ofTileBefore);
  }
  // The item before each comes too; before the first of the block there is none.
  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeads(Flag (&flags)[kItems], T (&items)[kItems], T (&before)[kItems],
                            Differ differ) {
    storage_.share(items);
    predecessors(items, before, nullptr);
    heads(flags, items, differ, nullptr);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeads(Flag (&flags)[kItems], T (&items)[kItems], T (&before)[kItems],
                            Differ differ, T ofTileBefore) {
    storage_.share(items);
    predecessors(items, before, &ofTileBefore);
    heads(flags, items, differ, &ofTileBefore);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagTails(Flag (&flags)[kItems], T (&items)[kItems], Differ differ) {
    storage_.share(items);
    tails(flags, items, differ, nullptr);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagTails(Flag (&flags)[kItems], T (&items)[kItems], Differ differ,
                            T ofTileAfter) {
    storage_.share(items);
    tails(flags, items, differ, &ofTileAfter);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeadsAndTails(Flag (&headFlags)[kItems], Flag (&tailFlags)[kItems],
                                    T (&items)[kItems], Differ differ) {
    FlagHeads(headFlags, items, differ);
    tails(tailFlags, items, differ, nullptr);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeadsAndTails(Flag (&headFlags)[kItems], Flag (&tailFlags)[kItems],
                                    T ofTileAfter, T (&items)[kItems], Differ differ) {
    FlagHeads(headFlags, items, differ);
    tails(tailFlags, items, differ, &ofTileAfter);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeadsAndTails(Flag (&headFlags)[kItems], T ofTileBefore,
                                    Flag (&tailFlags)[kItems], T (&items)[kItems], Differ differ) {
    FlagHeads(headFlags, items, differ, ofTileBefore);
    tails(tailFlags, items, differ, nullptr);
  }
  template <int kItems, class Flag, class Differ>
  __device__ void FlagHeadsAndTails(Flag (&headFlags)[kItems], T ofTileBefore,
                                    Flag (&tailFlags)[kItems], T ofTileAfter, T (&items)[kItems],
                                    Differ differ) {
    FlagHeads(headFlags, items, differ, ofTileBefore);
    tails(tailFlags, items, differ, &ofTileAfter);
  }

private:
  // After the borders are shared.
  template <int kItems, class Flag, class Differ>
  __device__ void heads(Flag (&flags)[kItems], T (&items)[kItems], Differ &differ,
                        T *ofTileBefore) {
    T *before = storage_.before() ? storage_.before() : ofTileBefore;
    for (int i = 0; i < kItems; ++i) {
      flags[i] = static_cast<Flag>(before ? static_cast<bool>(differ(*before, items[i])) : true);
      before = items + i;
    }
  }
  template <int kItems, class Flag, class Differ>
  __device__ void tails(Flag (&flags)[kItems], T (&items)[kItems], Differ &differ, T *ofTileAfter) {
    T *after = storage_.after() ? storage_.after() : ofTileAfter;
    for (int i = kItems - 1; i >= 0; --i) {
      flags[i] = static_cast<Flag>(after ? static_cast<bool>(differ(items[i], *after)) : true);
      after = items + i;
    }
  }
  template <int kItems>
  __device__ void predecessors(T (&items)[kItems], T (&before)[kItems], T *ofTileBefore) {
    for (int i = kItems - 1; i > 0; --i)
      before[i] = items[i - 1];
    if (const T *const first = storage_.before() ? storage_.before() : ofTileBefore)
      before[0] = *first;
  }

  TempStorage &storage_;
};

} // namespace cub
