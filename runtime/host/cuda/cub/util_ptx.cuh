// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: single instructions, ranks of threads, shuffles of values of any size.
#pragma once

#include "thread/thread_operators.cuh"

namespace cub {

__device__ inline unsigned int SHR_ADD(unsigned int x, unsigned int shift, unsigned int addend) {
  return (x >> shift) + addend;
}
__device__ inline unsigned int SHL_ADD(unsigned int x, unsigned int shift, unsigned int addend) {
  return (x << shift) + addend;
}
/// So many bits from a place on.
template <class Bits>
__device__ inline unsigned int BFE(Bits source, unsigned int first, unsigned int bits) {
  const unsigned long long mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
  return static_cast<unsigned int>((static_cast<unsigned long long>(source) >> first) & mask);
}
__device__ inline void BFI(unsigned int &result, unsigned int x, unsigned int y, unsigned int first,
                           unsigned int bits) {
  const unsigned int mask = (bits >= 32 ? ~0u : (1u << bits) - 1) << first;
  result = (x & ~mask) | ((y << first) & mask);
}
__device__ inline unsigned int IADD3(unsigned int x, unsigned int y, unsigned int z) {
  return x + y + z;
}
__device__ inline int RowMajorTid(int x, int y, int) {
  return static_cast<int>((threadIdx.z * static_cast<unsigned int>(y) + threadIdx.y) *
                              static_cast<unsigned int>(x) +
                          threadIdx.x);
}
__device__ inline unsigned int LaneId() {
  return static_cast<unsigned int>(detail::threadRank()) % 32;
}
__device__ inline unsigned int WarpId() {
  return static_cast<unsigned int>(detail::threadRank()) / 32;
}
__device__ inline unsigned int LaneMaskLt() { return (1u << LaneId()) - 1; }
__device__ inline unsigned int LaneMaskLe() { return LaneMaskLt() | 1u << LaneId(); }
__device__ inline unsigned int LaneMaskGt() { return ~LaneMaskLe(); }
__device__ inline unsigned int LaneMaskGe() { return ~LaneMaskLt(); }
template <int kLanes> __host__ __device__ inline unsigned int WarpMask(unsigned int warp) {
  return kLanes == 32 ? ~0u : ((1u << (kLanes % 32)) - 1) << (warp * kLanes % 32);
}
__device__ inline int WARP_ALL(int predicate, unsigned int mask) {
  return __all_sync(mask, predicate);
}
__device__ inline int WARP_ANY(int predicate, unsigned int mask) {
  return __any_sync(mask, predicate);
}
__device__ inline unsigned int WARP_BALLOT(int predicate, unsigned int mask) {
  return __ballot_sync(mask, predicate);
}
__device__ inline void WARP_SYNC(unsigned int mask) { __syncwarp(mask); }
__device__ inline void CTA_SYNC() { __syncthreads(); }

namespace detail {
/// A value of another lane of the warp, four bytes at a time.
template <class T> __device__ T fromLane(T value, int lane, unsigned int mask) {
  constexpr int kWords = static_cast<int>((sizeof(T) + 3) / 4);
  unsigned int words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i)
    words[i] = __shfl_sync(mask, words[i], lane);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
} // namespace detail

// Lanes are counted in the group of so many lanes; those without a source keep their value.
template <int kLanes, class T>
__device__ T ShuffleUp(T value, int by, int first, unsigned int mask) {
  const int lane = detail::Lanes<kLanes>::rank(), from = lane - by;
  return detail::fromLane(value, detail::Lanes<kLanes>::first() + (from < first ? lane : from),
                          mask);
}
template <int kLanes, class T>
__device__ T ShuffleDown(T value, int by, int last, unsigned int mask) {
  const int lane = detail::Lanes<kLanes>::rank(), from = lane + by;
  return detail::fromLane(value, detail::Lanes<kLanes>::first() + (from > last ? lane : from),
                          mask);
}
template <int kLanes, class T> __device__ T ShuffleIndex(T value, int lane, unsigned int mask) {
  return detail::fromLane(value, detail::Lanes<kLanes>::first() + lane % kLanes, mask);
}

} // namespace cub
