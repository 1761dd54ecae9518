// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: items move along a block's threads.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockShuffle {
  static constexpr int kThreads = X * Y * Z;

public:
  using TempStorage = detail::Storage<T, kThreads>;

  __device__ BlockShuffle() : storage_(detail::blockStorage<TempStorage>()) {}
  __device__ explicit BlockShuffle(TempStorage &storage) : storage_(storage) {}

  /// The value of the thread so far behind; where there is none, the result stays.
  __device__ void Offset(T value, T &result, int distance = 1) {
    const int from = share(value) + distance;
    if (from >= 0 && from < kThreads)
      result = storage_.values()[from];
  }
  __device__ void Rotate(T value, T &result, unsigned int distance = 1) {
    const int from = share(value) + static_cast<int>(distance % kThreads);
    result = storage_.values()[from % kThreads];
  }
  /// Each item goes one place up; the first result of the block stays.
  template <int kItems> __device__ void Up(T (&items)[kItems], T (&results)[kItems]) {
    const int rank = share(items[kItems - 1]);
    for (int i = kItems - 1; i > 0; --i)
      results[i] = items[i - 1];
    if (rank > 0)
      results[0] = storage_.values()[rank - 1];
  }
  template <int kItems>
  __device__ void Up(T (&items)[kItems], T (&results)[kItems], T &lastOfBlock) {
    Up(items, results);
    lastOfBlock = storage_.values()[kThreads - 1];
  }
  template <int kItems> __device__ void Down(T (&items)[kItems], T (&results)[kItems]) {
    const int rank = share(items[0]);
    for (int i = 0; i + 1 < kItems; ++i)
      results[i] = items[i + 1];
    if (rank + 1 < kThreads)
      results[kItems - 1] = storage_.values()[rank + 1];
  }
  template <int kItems>
  __device__ void Down(T (&items)[kItems], T (&results)[kItems], T &firstOfBlock) {
    Down(items, results);
    firstOfBlock = storage_.values()[0];
  }

private:
  __device__ int share(const T &value) {
    const int rank = detail::threadRank();
    storage_.values()[rank] = value;
    __syncthreads();
    return rank;
  }

  TempStorage &storage_;
};

} // namespace cub
