// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts the items of a block or a warp in its first thread.
#pragma once

#include "arrangements.cuh"

namespace cub {

namespace detail {

/// Sorts places stably by the order of their keys; `scratch` has as much room.
template <class Key, class Less>
__device__ void sortPlaces(const Key *keys, int *places, int *scratch, int count, Less &less) {
  for (int i = 0; i < count; ++i)
    places[i] = i;
  for (int width = 1; width < count; width *= 2) {
    for (int first = 0; first < count; first += 2 * width) {
      const int middle = first + width < count ? first + width : count;
      const int last = first + 2 * width < count ? first + 2 * width : count;
      int left = first, right = middle;
      for (int to = first; to < last; ++to) {
        const bool takesRight =
            right < last && (left == middle || less(keys[places[right]], keys[places[left]]));
        scratch[to] = takesRight ? places[right++] : places[left++];
      }
    }
    for (int i = 0; i < count; ++i)
      places[i] = scratch[i];
  }
}

/// What sorting `kCount` keys and values takes.
template <class Key, class Value, int kCount> struct SortStorage {
  Storage<Key, kCount> keys;
  Storage<Value, kCount> values;
  int places[kCount], scratch[kCount];
};

/// Sorts the first `valid` items of a group of threads, whose barrier `sync` is; they arrive
/// blocked and leave in an arrangement.
template <class Leave, class Key, class Value, int kCount, int kItems, class Less, class Sync>
__device__ void sortGroup(SortStorage<Key, Value, kCount> &storage, int rank, Key (&keys)[kItems],
                          Value *values, int valid, Less less, Sync sync) {
  for (int i = 0; i < kItems; ++i) {
    const int place = Blocked::place<kItems>(rank, i);
    storage.keys.values()[place] = keys[i];
    if (values)
      storage.values.values()[place] = values[i];
  }
  sync();
  if (rank == 0)
    sortPlaces(storage.keys.values(), storage.places, storage.scratch, valid, less);
  sync();
  for (int i = 0; i < kItems; ++i) {
    const int place = Leave::template place<kItems>(rank, i);
    if (place >= valid)
      continue;
    keys[i] = storage.keys.values()[storage.places[place]];
    if (values)
      values[i] = storage.values.values()[storage.places[place]];
  }
  sync();
}

struct BlockSync {
  __device__ void operator()() const { __syncthreads(); }
};
template <int kLanes> struct LanesSync {
  __device__ void operator()() const { Lanes<kLanes>::sync(); }
};

/// The comparison sorts of a group of `kThreads` threads. All are stable.
template <class Self, class Key, class Value, int kThreads, int kItems> class MergeSort {
public:
  using TempStorage = SortStorage<Key, Value, kThreads * kItems>;

  __device__ explicit MergeSort(TempStorage &storage) : storage_(storage) {}

  template <class Less> __device__ void Sort(Key (&keys)[kItems], Less less) {
    sort(keys, nullptr, less, kThreads * kItems);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[kItems], Value (&values)[kItems], Less less) {
    sort(keys, values, less, kThreads * kItems);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[kItems], Less less, int valid, Key otherwise) {
    sort(keys, nullptr, less, valid);
    fill(keys, valid, otherwise);
  }
  template <class Less>
  __device__ void Sort(Key (&keys)[kItems], Value (&values)[kItems], Less less, int valid,
                       Key otherwise) {
    sort(keys, values, less, valid);
    fill(keys, valid, otherwise);
  }
  template <class Less> __device__ void StableSort(Key (&keys)[kItems], Less less) {
    Sort(keys, less);
  }
  template <class Less>
  __device__ void StableSort(Key (&keys)[kItems], Value (&values)[kItems], Less less) {
    Sort(keys, values, less);
  }
  template <class Less>
  __device__ void StableSort(Key (&keys)[kItems], Less less, int valid, Key otherwise) {
    Sort(keys, less, valid, otherwise);
  }
  template <class Less>
  __device__ void StableSort(Key (&keys)[kItems], Value (&values)[kItems], Less less, int valid,
                             Key otherwise) {
    Sort(keys, values, less, valid, otherwise);
  }

private:
  template <class Less>
  __device__ void sort(Key (&keys)[kItems], Value *values, Less less, int valid) {
    sortGroup<Blocked>(storage_, Self::rank(), keys, values, valid, less, typename Self::Sync());
  }
  __device__ static void fill(Key (&keys)[kItems], int valid, const Key &otherwise) {
    for (int i = 0; i < kItems; ++i)
      if (Blocked::place<kItems>(Self::rank(), i) >= valid)
        keys[i] = otherwise;
  }

  TempStorage &storage_;
};

} // namespace detail

} // namespace cub
