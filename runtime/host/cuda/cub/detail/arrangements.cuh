// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: where the items of a thread lie in those of its block or warp.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

namespace detail {

// Blocked: a thread has adjacent items; striped: items that lie a block apart; warp-striped: those
// of a warp are adjacent, and its lanes' lie a warp apart.
struct Blocked {
  template <int kItems> __host__ __device__ static int place(int thread, int i) {
    return thread * kItems + i;
  }
};
template <int kThreads> struct Striped {
  template <int kItems> __host__ __device__ static int place(int thread, int i) {
    return thread + i * kThreads;
  }
};
struct WarpStriped {
  template <int kItems> __host__ __device__ static int place(int thread, int i) {
    return thread / kWarpLanes * kWarpLanes * kItems + thread % kWarpLanes + i * kWarpLanes;
  }
};

template <class Arrangement, class In, class T, int kItems>
__device__ void load(int thread, In in, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i)
    items[i] = in[Arrangement::template place<kItems>(thread, i)];
}
template <class Arrangement, class In, class T, int kItems>
__device__ void load(int thread, In in, T (&items)[kItems], int valid) {
  for (int i = 0; i < kItems; ++i)
    if (const int place = Arrangement::template place<kItems>(thread, i); place < valid)
      items[i] = in[place];
}
template <class Arrangement, class In, class T, int kItems, class Default>
__device__ void load(int thread, In in, T (&items)[kItems], int valid, Default otherwise) {
  for (int i = 0; i < kItems; ++i)
    items[i] = otherwise;
  load<Arrangement>(thread, in, items, valid);
}
template <class Arrangement, class Out, class T, int kItems>
__device__ void store(int thread, Out out, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i)
    out[Arrangement::template place<kItems>(thread, i)] = items[i];
}
template <class Arrangement, class Out, class T, int kItems>
__device__ void store(int thread, Out out, T (&items)[kItems], int valid) {
  for (int i = 0; i < kItems; ++i)
    if (const int place = Arrangement::template place<kItems>(thread, i); place < valid)
      out[place] = items[i];
}

} // namespace detail

} // namespace cub
