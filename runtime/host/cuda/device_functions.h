// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: barriers, fences, warp operations and caching loads.
#pragma once
#define __DEVICE_FUNCTIONS_H__

#include "vector_types.h"

#include <stddef.h>

namespace relayout::host::detail {

/// What the lanes of a warp do together; lanes meet when operation and mask agree.
enum class WarpOperation : unsigned char {
  Sync,
  Ballot,
  All,
  Any,
  Shuffle,
  MatchAny,
  MatchAll,
  AddSigned,
  AddUnsigned,
  MinSigned,
  MinUnsigned,
  MaxSigned,
  MaxUnsigned,
  And,
  Or,
  Xor
};

/// Waits for the live lanes of the mask and returns what the operation gives this lane.
/// \param value   what this lane brings
/// \param source  lane to take the value from, for Shuffle
__device__ unsigned long long warp(WarpOperation operation, unsigned int mask,
                                   unsigned long long value, unsigned int source = 0);
__device__ unsigned int activeMask();

enum class Vote { None, Count, And, Or };
__device__ int barrier(Vote vote, int predicate);

__device__ unsigned int laneId();
__device__ long long clockTicks();
__device__ void pauseThread();
[[noreturn]] __device__ void trap();
[[noreturn]] __device__ void exitThread();

template <class T> __device__ inline unsigned long long toBits(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> __device__ inline T fromBits(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

} // namespace relayout::host::detail

// Barriers of the block.
// Declared only, because Clang knows the name as a builtin.
__device__ void __syncthreads();
__device__ inline int __syncthreads_count(int predicate) {
  return relayout::host::detail::barrier(relayout::host::detail::Vote::Count, predicate);
}
__device__ inline int __syncthreads_and(int predicate) {
  return relayout::host::detail::barrier(relayout::host::detail::Vote::And, predicate);
}
__device__ inline int __syncthreads_or(int predicate) {
  return relayout::host::detail::barrier(relayout::host::detail::Vote::Or, predicate);
}

// Fences.
__device__ inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__device__ inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__device__ inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Votes.
__device__ inline void __syncwarp(unsigned int mask = 0xffffffffu) {
  relayout::host::detail::warp(relayout::host::detail::WarpOperation::Sync, mask, 0);
}
__device__ inline unsigned int __ballot_sync(unsigned int mask, int predicate) {
  using namespace relayout::host::detail;
  return static_cast<unsigned int>(warp(WarpOperation::Ballot, mask, predicate != 0));
}
__device__ inline int __all_sync(unsigned int mask, int predicate) {
  using namespace relayout::host::detail;
  return static_cast<int>(warp(WarpOperation::All, mask, predicate != 0));
}
__device__ inline int __any_sync(unsigned int mask, int predicate) {
  using namespace relayout::host::detail;
  return static_cast<int>(warp(WarpOperation::Any, mask, predicate != 0));
}
// Always inlined: the place of the call tells groups of lanes apart.
__device__ __forceinline__ unsigned int __activemask() {
  return relayout::host::detail::activeMask();
}

// Shuffles: a segment of `width` lanes, the source lane of each kind as CUDA defines it.
#define RELAYOUT_SHUFFLES(type)                                                                    \
  __device__ inline type __shfl_sync(unsigned int mask, type value, int source, int width = 32) {  \
    using namespace relayout::host::detail;                                                        \
    const unsigned int first = laneId() & ~static_cast<unsigned int>(width - 1);                   \
    const unsigned int from = first + (static_cast<unsigned int>(source) & (width - 1));           \
    return fromBits<type>(warp(WarpOperation::Shuffle, mask, toBits(value), from));                \
  }                                                                                                \
  __device__ inline type __shfl_up_sync(unsigned int mask, type value, unsigned int delta,         \
                                        int width = 32) {                                          \
    using namespace relayout::host::detail;                                                        \
    const unsigned int lane = laneId();                                                            \
    const unsigned int place = lane & (width - 1);                                                 \
    const unsigned int from = place >= delta ? lane - delta : lane;                                \
    return fromBits<type>(warp(WarpOperation::Shuffle, mask, toBits(value), from));                \
  }                                                                                                \
  __device__ inline type __shfl_down_sync(unsigned int mask, type value, unsigned int delta,       \
                                          int width = 32) {                                        \
    using namespace relayout::host::detail;                                                        \
    const unsigned int lane = laneId();                                                            \
    const unsigned int place = lane & (width - 1);                                                 \
    const unsigned int from =                                                                      \
        delta < static_cast<unsigned int>(width) - place ? lane + delta : lane;                    \
    return fromBits<type>(warp(WarpOperation::Shuffle, mask, toBits(value), from));                \
  }                                                                                                \
  __device__ inline type __shfl_xor_sync(unsigned int mask, type value, int laneMask,              \
                                         int width = 32) {                                         \
    using namespace relayout::host::detail;                                                        \
    const unsigned int lane = laneId();                                                            \
    const unsigned int end = (lane & ~static_cast<unsigned int>(width - 1)) + width;               \
    const unsigned int target = lane ^ static_cast<unsigned int>(laneMask);                        \
    const unsigned int from = target < end ? target : lane;                                        \
    return fromBits<type>(warp(WarpOperation::Shuffle, mask, toBits(value), from));                \
  }
RELAYOUT_SHUFFLES(int)
RELAYOUT_SHUFFLES(unsigned int)
RELAYOUT_SHUFFLES(long int)
RELAYOUT_SHUFFLES(unsigned long int)
RELAYOUT_SHUFFLES(long long int)
RELAYOUT_SHUFFLES(unsigned long long int)
RELAYOUT_SHUFFLES(float)
RELAYOUT_SHUFFLES(double)
#undef RELAYOUT_SHUFFLES

#define RELAYOUT_MATCHES(type)                                                                     \
  __device__ inline unsigned int __match_any_sync(unsigned int mask, type value) {                 \
    using namespace relayout::host::detail;                                                        \
    return static_cast<unsigned int>(warp(WarpOperation::MatchAny, mask, toBits(value)));          \
  }                                                                                                \
  __device__ inline unsigned int __match_all_sync(unsigned int mask, type value, int *equal) {     \
    using namespace relayout::host::detail;                                                        \
    const auto lanes =                                                                             \
        static_cast<unsigned int>(warp(WarpOperation::MatchAll, mask, toBits(value)));             \
    *equal = lanes != 0;                                                                           \
    return lanes;                                                                                  \
  }
RELAYOUT_MATCHES(int)
RELAYOUT_MATCHES(unsigned int)
RELAYOUT_MATCHES(long int)
RELAYOUT_MATCHES(unsigned long int)
RELAYOUT_MATCHES(long long int)
RELAYOUT_MATCHES(unsigned long long int)
RELAYOUT_MATCHES(float)
RELAYOUT_MATCHES(double)
#undef RELAYOUT_MATCHES

#define RELAYOUT_REDUCTION(name, type, operation)                                                  \
  __device__ inline type name(unsigned int mask, type value) {                                     \
    using namespace relayout::host::detail;                                                        \
    return fromBits<type>(warp(WarpOperation::operation, mask, toBits(value)));                    \
  }
RELAYOUT_REDUCTION(__reduce_add_sync, int, AddSigned)
RELAYOUT_REDUCTION(__reduce_add_sync, unsigned int, AddUnsigned)
RELAYOUT_REDUCTION(__reduce_min_sync, int, MinSigned)
RELAYOUT_REDUCTION(__reduce_min_sync, unsigned int, MinUnsigned)
RELAYOUT_REDUCTION(__reduce_max_sync, int, MaxSigned)
RELAYOUT_REDUCTION(__reduce_max_sync, unsigned int, MaxUnsigned)
RELAYOUT_REDUCTION(__reduce_and_sync, unsigned int, And)
RELAYOUT_REDUCTION(__reduce_or_sync, unsigned int, Or)
RELAYOUT_REDUCTION(__reduce_xor_sync, unsigned int, Xor)
#undef RELAYOUT_REDUCTION

// Loads and stores with a cache hint are plain ones here.
#define RELAYOUT_LOAD(name)                                                                        \
  template <class T> __device__ inline T name(const T *address) { return *address; }
#define RELAYOUT_STORE(name)                                                                       \
  template <class T> __device__ inline void name(T *address, T value) { *address = value; }
RELAYOUT_LOAD(__ldg)
RELAYOUT_LOAD(__ldcg)
RELAYOUT_LOAD(__ldca)
RELAYOUT_LOAD(__ldcs)
RELAYOUT_LOAD(__ldlu)
RELAYOUT_LOAD(__ldcv)
RELAYOUT_STORE(__stwb)
RELAYOUT_STORE(__stcg)
RELAYOUT_STORE(__stcs)
RELAYOUT_STORE(__stwt)
#undef RELAYOUT_LOAD
#undef RELAYOUT_STORE

__device__ inline long long int clock64() { return relayout::host::detail::clockTicks(); }
/// A kernel starts when what the stream had before it has ended.
__device__ inline void cudaGridDependencySynchronize() {}
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {}
__device__ inline void __nanosleep(unsigned int) { relayout::host::detail::pauseThread(); }
__device__ inline void __trap() { relayout::host::detail::trap(); }

// There is one address space, so that an address is the same in each.
#define RELAYOUT_ADDRESS_SPACE(name)                                                               \
  __device__ inline size_t __cvta_generic_to_##name(const void *pointer) {                         \
    return reinterpret_cast<size_t>(pointer);                                                      \
  }                                                                                                \
  __device__ inline void *__cvta_##name##_to_generic(size_t address) {                             \
    return reinterpret_cast<void *>(address);                                                      \
  }
RELAYOUT_ADDRESS_SPACE(shared)
RELAYOUT_ADDRESS_SPACE(global)
RELAYOUT_ADDRESS_SPACE(local)
RELAYOUT_ADDRESS_SPACE(constant)
#undef RELAYOUT_ADDRESS_SPACE
