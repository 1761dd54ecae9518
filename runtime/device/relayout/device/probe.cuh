// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the probes of an instrumented program, for nvcc. The same shapes as those of the
// CPU executor (relayout/host/probe.h); outside device code they do nothing.
//
// A warp counts itself once for all accesses that run together: in registers where they stand in a
// loop, else with one reduction to global memory. In a sampled block each access also writes one
// record. All that tells blocks and kernels apart is settled once a block, by probe::kernel().
// Functions are there twice where their text allows it: with records, and with counts alone
// (instrument/src/gpu/untraced_copies.h); and beside kernels are their twins, with counts alone.
#pragma once

#include "relayout/device/recorder.cuh"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>

namespace relayout::probe {

// Linking keeps one of the functions of each name, unless they are of one translation unit alone.
namespace {

/// First statement of every kernel that has probes or calls functions that have: tells what runs.
/// \param index  of the kernel, in this module's site table
__device__ __forceinline__ void kernel(std::uint32_t index) {
#ifdef __CUDA_ARCH__
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0)
    detail::beginBlock<false>(index);
  __syncthreads();
#endif
}

/// The same in its twin, whose launches only count. Functions that are not inlined there find that
/// the block has no room for records.
__device__ __forceinline__ void twinOf(std::uint32_t index) {
#ifdef __CUDA_ARCH__
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0)
    detail::beginBlock<true>(index);
  __syncthreads();
  __builtin_assume(detail::control.kernelsRecord == 0);
#endif
}

/// How an access is counted; 0 and above: by that counter of the function's Counts.
constexpr int kAtOnce = -1;    ///< in global memory, when it happens
constexpr int kByAnother = -2; ///< by an access that runs whenever this one does

/// What a read yields: words as values, so that they are loaded ahead of the probe's test.
template <class T>
using ReadResult =
    std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, const float> ||
                           std::is_same_v<T, double> || std::is_same_v<T, const double> ||
                           std::is_same_v<T, int> || std::is_same_v<T, const int> ||
                           std::is_same_v<T, unsigned> || std::is_same_v<T, const unsigned>,
                       std::remove_const_t<T>, T &>;

// Before loops that lanes leave at different times. Were one unrolled into iterations of four and a
// rest, the lanes of a warp would be counted apart: some in the unrolled loop, others in the rest.
#ifdef __CUDA_ARCH__
#define RELAYOUT_ONE_BY_ONE _Pragma("unroll 1")
#else
#define RELAYOUT_ONE_BY_ONE
#endif

/// Accesses in a loop that all lanes which enter it run the same number of times: each lane counts
/// for itself, or rather the compiler does, who finds what the loop comes to.
/// \tparam N  counters
template <std::size_t N> class Together {
public:
  __host__ __device__ __forceinline__ Together() {
#ifdef __CUDA_ARCH__
    for (std::size_t i = 0; i < N; ++i)
      times_[i] = 0;
#endif
  }
  template <std::size_t I> __host__ __device__ __forceinline__ void ran() {
#ifdef __CUDA_ARCH__
    ++times_[I];
#endif
  }

private:
  template <std::uint32_t...> friend class Counts;
#ifdef __CUDA_ARCH__
  std::uint32_t mask_ = __activemask(); ///< who enters
  std::uint32_t times_[N];
#endif
};

/// Counters of accesses in loops, in registers: what they say is added when the function returns.
/// \tparam Sites  of which each counter is
template <std::uint32_t... Sites> class Counts {
public:
  __host__ __device__ __forceinline__ Counts() {
#ifdef __CUDA_ARCH__
    for (std::size_t i = 0; i < kSlots; ++i)
      warps_[i] = lanes_[i] = 0;
#endif
  }
  Counts(const Counts &) = delete;
  Counts &operator=(const Counts &) = delete;
  __host__ __device__ __forceinline__ ~Counts() {
#ifdef __CUDA_ARCH__
    std::size_t i = 0;
    (flush(i++, Sites), ...);
#endif
  }

  template <int How, bool kInPlace = true, class T>
  __host__ __device__ __forceinline__ ReadResult<T> read(std::uint32_t site, T &x) {
#ifdef __CUDA_ARCH__
    if constexpr (!std::is_reference_v<ReadResult<T>>) {
      ReadResult<T> value = x;
      detail::holdHere(value);
      note<How, kInPlace>(site, &reinterpret_cast<const volatile char &>(x), sizeof(T));
      return value;
    }
#endif
    note<How, kInPlace>(site, &reinterpret_cast<const volatile char &>(x), sizeof(T));
    return x;
  }
  /// A write, or a read of what must stay an lvalue, as a reference's initialiser.
  template <int How, bool kInPlace = true, class T>
  __host__ __device__ __forceinline__ T &access(std::uint32_t site, T &x) {
    note<How, kInPlace>(site, &reinterpret_cast<const volatile char &>(x), sizeof(T));
    return x;
  }
  // Of a bit-field, which has no address: the object that it is a member of, and where in it the
  // storage unit is.

  template <int How, bool kInPlace = true, class T>
  __host__ __device__ __forceinline__ T &read(std::uint32_t site, T &x, std::size_t offset,
                                              std::size_t unitBytes) {
    return access<How, kInPlace>(site, x, offset, unitBytes);
  }
  template <int How, bool kInPlace = true, class T>
  __host__ __device__ __forceinline__ T &access(std::uint32_t site, T &x, std::size_t offset,
                                                std::size_t unitBytes) {
    note<How, kInPlace>(site, &reinterpret_cast<const volatile char &>(x) + offset, unitBytes);
    return x;
  }
  template <int How, bool kInPlace = true, class T>
  __host__ __device__ __forceinline__ T &readWrite(std::uint32_t readSite, std::uint32_t writeSite,
                                                   T &x, std::size_t offset,
                                                   std::size_t unitBytes) {
    access<How, kInPlace>(readSite, x, offset, unitBytes);
    return access<kByAnother, kInPlace>(writeSite, x, offset, unitBytes);
  }
  template <int How, class T>
  __host__ __device__ __forceinline__ T &count(std::uint32_t site, T &x, std::size_t, std::size_t) {
    return count<How>(site, x);
  }

  /// `x += v`, `++x`: a read, then a write, which is counted with the read.
  template <int How, bool kInPlace = true, class T>
  __host__ __device__ __forceinline__ T &readWrite(std::uint32_t readSite, std::uint32_t writeSite,
                                                   T &x) {
    const volatile char *const address = &reinterpret_cast<const volatile char &>(x);
    note<How, kInPlace>(readSite, address, sizeof(T));
    note<kByAnother, kInPlace>(writeSite, address, sizeof(T));
    return x;
  }
  /// The pointer argument of an atomic.
  template <int How, bool kInPlace = true, class T>
  __host__ __device__ __forceinline__ T *atomic(std::uint32_t site, T *x) {
    note<How, kInPlace>(site, x, sizeof(T));
    return x;
  }

  /// Whether this block's accesses may be recorded; if not, they need only be counted.
  [[nodiscard]] __host__ __device__ __forceinline__ bool records() const {
#ifdef __CUDA_ARCH__
    return __builtin_expect(detail::mayRecordBlock(), false);
#else
    return false;
#endif
  }
  /// Whether the lanes that ask this together have room for a record. If not, there will be none.
  [[nodiscard]] __host__ __device__ __forceinline__ bool hasRoom() {
#ifdef __CUDA_ARCH__
    return hadRoom_ = isSampled() && detail::hasRoom();
#else
    return true;
#endif
  }
  /// What it said last.
  [[nodiscard]] __host__ __device__ __forceinline__ bool hadRoom() const {
#ifdef __CUDA_ARCH__
    return hadRoom_;
#else
    return true;
#endif
  }
  /// An access of a block that is not recorded.
  template <int How, class T>
  __host__ __device__ __forceinline__ T &count(std::uint32_t site, T &x) {
    countGlobal<How>(site, &reinterpret_cast<const volatile char &>(x));
    return x;
  }
  template <int How, class T>
  __host__ __device__ __forceinline__ T *countAtomic(std::uint32_t site, T *x) {
    countGlobal<How>(site, x);
    return x;
  }
  /// A loop in which no access stands begins an iteration.
  template <int How> __host__ __device__ __forceinline__ void iterated() {
#ifdef __CUDA_ARCH__
    countNow<How>(__activemask(), 0);
#endif
  }
  /// Adds what was counted in a loop to these counters.
  template <int... Hows>
  __host__ __device__ __forceinline__ void add(const Together<sizeof...(Hows)> &loop) {
#ifdef __CUDA_ARCH__
    if ((loop.mask_ & detail::lanesBelow()) != 0)
      return;
    std::size_t i = 0;
    ((warps_[Hows] += loop.times_[i],
      lanes_[Hows] += static_cast<unsigned long long>(loop.times_[i++]) * __popc(loop.mask_)),
     ...);
#endif
  }

private:
  template <int How>
  __host__ __device__ __forceinline__ void countGlobal(std::uint32_t site,
                                                       const volatile void *pointer) {
#ifdef __CUDA_ARCH__
    // Only global memory is counted. Accesses that share a count are all in it or none is.
    if (detail::isGlobal(pointer))
      countNow<How>(__activemask(), site);
#endif
  }

  template <int How, bool kInPlace>
  __host__ __device__ __forceinline__ void note(std::uint32_t site, const volatile void *pointer,
                                                std::size_t bytes) {
#ifdef __CUDA_ARCH__
    const auto address = reinterpret_cast<unsigned long long>(pointer);
    const auto size = static_cast<std::uint32_t>(bytes);
    if constexpr (How == kByAnother) {
      if (isSampled() && detail::isGlobal(pointer))
        record<kInPlace>(site, address, size);
    } else if (detail::isGlobal(pointer)) {
      const std::uint32_t mask = __activemask();
      countNow<How>(mask, site);
      if (isSampled())
        record<kInPlace>(site, address, size);
    }
#endif
  }

#ifdef __CUDA_ARCH__
  template <int How>
  __device__ __forceinline__ void countNow(std::uint32_t mask, std::uint32_t site) {
    if constexpr (How == kAtOnce)
      detail::countAtOnce(armed_, mask, site);
    else
      detail::countInRegisters(mask, warps_[How], lanes_[How]);
  }

  __device__ __forceinline__ void flush(std::size_t counter, std::uint32_t site) {
    if (!armed_ || warps_[counter] == 0)
      return;
    const unsigned long long absent = 32ull * warps_[counter] - lanes_[counter];
    detail::addTo(detail::tallyOf(site), warps_[counter]);
    if (absent != 0)
      detail::addTo(detail::tallyOf(site) + sizeof(unsigned long long), absent);
  }

  __device__ __forceinline__ bool isSampled() const { return __builtin_expect(sampled_ != 0, 0); }

  /// \tparam kInPlace  whether the recorder's code stands here; if not, it is shared
  template <bool kInPlace>
  __device__ __forceinline__ void record(std::uint32_t site, unsigned long long address,
                                         std::uint32_t bytes) {
    asm volatile(""); // keeps the two tests apart: the first one is the same for the whole block
    // Lanes that know of no room go by; the others, who may not, must not wait for them. That is
    // only where there is none: records have all lanes.
    if (hasRoom_)
      hasRoom_ = kInPlace ? detail::record(__activemask(), site, address, bytes)
                          : detail::recordByCall(__activemask(), site, address, bytes);
  }

  bool armed_ = detail::isArmed();
  std::uint32_t sampled_ = armed_ ? detail::isSampledBlock() : 0;
  bool hasRoom_ = true; ///< as far as this lane knows
  bool hadRoom_ = true;
  static constexpr std::size_t kSlots = sizeof...(Sites) == 0 ? 1 : sizeof...(Sites);
  // What this lane, as the lowest one, counted for its warp.
  std::uint32_t warps_[kSlots];
  unsigned long long lanes_[kSlots];
#endif
};

// Of accesses outside a function's braces, as in the list of initialisers of a constructor.

template <class T>
__host__ __device__ __forceinline__ ReadResult<T> read(std::uint32_t site, T &x) {
  return Counts<>().template read<kAtOnce>(site, x);
}
template <class T> __host__ __device__ __forceinline__ T &access(std::uint32_t site, T &x) {
  return Counts<>().template access<kAtOnce>(site, x);
}
template <class T>
__host__ __device__ __forceinline__ T &readWrite(std::uint32_t readSite, std::uint32_t writeSite,
                                                 T &x) {
  read(readSite, x);
  return access(writeSite, x);
}
template <class T>
__host__ __device__ __forceinline__ T &read(std::uint32_t site, T &x, std::size_t offset,
                                            std::size_t unitBytes) {
  return Counts<>().template access<kAtOnce>(site, x, offset, unitBytes);
}
template <class T>
__host__ __device__ __forceinline__ T &access(std::uint32_t site, T &x, std::size_t offset,
                                              std::size_t unitBytes) {
  return Counts<>().template access<kAtOnce>(site, x, offset, unitBytes);
}
template <class T>
__host__ __device__ __forceinline__ T &readWrite(std::uint32_t readSite, std::uint32_t writeSite,
                                                 T &x, std::size_t offset, std::size_t unitBytes) {
  access(readSite, x, offset, unitBytes);
  return access(writeSite, x, offset, unitBytes);
}
template <class T> __host__ __device__ __forceinline__ T *atomic(std::uint32_t site, T *x) {
  return Counts<>().template atomic<kAtOnce>(site, x);
}

} // namespace

} // namespace relayout::probe

#include "relayout/device/registration.cuh"
