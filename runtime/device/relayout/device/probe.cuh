// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the probes of an instrumented program, for nvcc. The same shapes as those of the
// CPU executor (relayout/host/probe.h); outside device code they do nothing.
//
// A warp counts itself with one reduction to global memory. In a sampled block it also writes one
// record. All that tells blocks and kernels apart is settled once a block, by probe::kernel().
#pragma once

#include "relayout/device/buffers.h"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

namespace relayout::probe {

namespace detail {

using namespace relayout::device;

// Of this module; filled by runtime/gpu. Internal linkage: each translation unit is a module.
static __constant__ Control control;

/// Of the running block, made by probe::kernel(). What every access needs is one 16-byte load.
struct alignas(16) BlockState {
  unsigned long long tallies; ///< of this module's sites in this kernel
  std::uint32_t silent;       ///< all ones: not armed, nothing is counted
  std::uint32_t sampled;      ///< all ones: accesses are recorded
  // Of sampled blocks only. What is left of each warp's room, in granules.
  std::uint32_t next[kMostWarps];
  std::uint32_t end[kMostWarps];
  // What the lanes of one warp tell each other while they write a record.
  unsigned long long first[kMostWarps], second[kMostWarps]; ///< addresses of the first lanes
  std::uint32_t shapes[kMostWarps]; ///< byte 0: not affine; byte s: a lane's offset needs Shape s
  std::uint32_t place[kMostWarps];  ///< granule of the record
};
static __shared__ BlockState blockState;

#ifdef __CUDA_ARCH__

__device__ inline std::uint32_t specialSm() {
  std::uint32_t value;
  asm("mov.u32 %0, %%smid;" : "=r"(value));
  return value;
}
__device__ inline std::uint64_t specialGrid() {
  std::uint64_t value;
  asm("mov.u64 %0, %%gridid;" : "=l"(value));
  return value;
}
__device__ inline std::uint32_t specialSharedBytes() {
  std::uint32_t value;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(value));
  return value;
}
__device__ inline std::uint32_t lanesBelow() {
  std::uint32_t value;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(value));
  return value;
}

// Without a memory clobber: the compiler may move the program's own loads across it.
__device__ inline void addTo(unsigned long long *counter, unsigned long long amount) {
  asm volatile("red.global.relaxed.gpu.add.u64 [%0], %1;" ::"l"(counter), "l"(amount));
}

__device__ inline std::uint64_t specialClock() {
  std::uint64_t value;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(value));
  return value;
}

// Shared memory as other lanes of the warp see it: neither cached in registers nor moved, but not
// `volatile` to the assembler, see record().
__device__ inline std::uint32_t peek(const std::uint32_t &value) {
  std::uint32_t result;
  asm volatile("ld.shared.u32 %0, [%1];"
               : "=r"(result)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&value)))
               : "memory");
  return result;
}
__device__ inline unsigned long long peek(const unsigned long long &value) {
  unsigned long long result;
  asm volatile("ld.shared.u64 %0, [%1];"
               : "=l"(result)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&value)))
               : "memory");
  return result;
}
__device__ inline void poke(std::uint32_t &to, std::uint32_t value) {
  asm volatile(
      "st.shared.u32 [%0], %1;" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&to))),
      "r"(value)
      : "memory");
}
__device__ inline void poke(unsigned long long &to, unsigned long long value) {
  asm volatile(
      "st.shared.u64 [%0], %1;" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&to))),
      "l"(value)
      : "memory");
}
/// Sets one byte of a word, the lowest being number 0.
__device__ inline void pokeByte(std::uint32_t &to, std::uint32_t number) {
  asm volatile("st.shared.u8 [%0], %1;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(&to)) + number),
               "r"(1)
               : "memory");
}

constexpr std::uint32_t kNoSpace = 0xffffffffu;

__device__ inline std::uint32_t linearThread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// Takes room for all warps of the block: while it runs no atomic is needed.
static __device__ __noinline__ void beginSampledBlock(std::uint32_t kernel, std::uint32_t block,
                                                      std::uint64_t blocks) {
  const std::uint64_t grid = specialGrid();
  KernelTally *const tally = &control.kernels[kernel];
  atomicAdd(&tally->sampledBlocks, 1ull);
  if (atomicMax(&tally->newestGrid, grid + 1ull) < grid + 1)
    atomicAdd(&tally->sampledLaunches, 1ull);
  const std::uint64_t launches = atomicAdd(&tally->sampledLaunches, 0ull);
  const std::uint32_t warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
  const std::uint32_t share =
      warpShare(control.granules, control.kernelCount, launches != 0 ? launches - 1 : 0,
                (blocks != 0 ? blocks : 1) * warps);
  constexpr std::uint32_t kHeadGranules = kHeadBytes / kGranuleBytes;
  const unsigned long long needed = kHeadGranules + static_cast<unsigned long long>(warps) * share;
  const unsigned long long at = atomicAdd(&control.totals->granules, needed);
  if (at + needed > control.granules)
    return;
  auto *const head =
      reinterpret_cast<uint4 *>(control.records + static_cast<std::size_t>(at) * kGranuleBytes);
  const std::uint64_t clock = specialClock();
  head[1] = make_uint4(static_cast<std::uint32_t>(grid), static_cast<std::uint32_t>(grid >> 32),
                       static_cast<std::uint32_t>(clock), static_cast<std::uint32_t>(clock >> 32));
  head[0] = make_uint4(kBlockTag, block, warps, share);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    blockState.next[warp] = static_cast<std::uint32_t>(at) + kHeadGranules + warp * share;
    blockState.end[warp] = blockState.next[warp] + share;
  }
  blockState.sampled = 0xffffffffu;
}

static __device__ inline void beginBlock(std::uint32_t moduleKernel) {
  blockState.sampled = 0;
  blockState.silent = control.tallies == nullptr ? 0xffffffffu : 0;
  if (control.tallies == nullptr)
    return;
  const std::uint32_t kernel = control.firstKernel + moduleKernel;
  const std::size_t row =
      static_cast<std::size_t>(specialSm() & control.rowMask) * control.kernelCount + kernel;
  blockState.tallies = reinterpret_cast<unsigned long long>(
      control.tallies + row * control.siteCount + control.firstSite);
  const std::uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const std::uint64_t blocks = static_cast<std::uint64_t>(gridDim.x) * gridDim.y * gridDim.z;
  if (block == 0) {
    addTo(&control.kernels[kernel].launches, 1);
    addTo(&control.kernels[kernel].blocks, blocks);
    const std::uint32_t index = atomicAdd(&control.totals->launches, 1u);
    if (index < control.launchRows)
      control.launches[index] = {specialGrid() + 1,
                                 kernel,
                                 {gridDim.x, gridDim.y, gridDim.z},
                                 {blockDim.x, blockDim.y, blockDim.z},
                                 specialSharedBytes()};
  }
  if (control.sampling == Sampling::Counts)
    return;
  std::uint32_t shift = 0;
  if (control.sampling == Sampling::Blocks) {
    const int over =
        63 - __clzll(static_cast<long long>(blocks)) - static_cast<int>(control.sampleLog2);
    shift = over > 0 ? static_cast<std::uint32_t>(over) : 0;
  }
  if (control.sampling == Sampling::OneSm) {
    // About as many blocks run on each multiprocessor.
    if (specialSm() == control.sampledSm)
      beginSampledBlock(kernel, block, blocks / (control.rowMask + 1) + 1);
  } else if (isSampled(block, shift)) {
    beginSampledBlock(kernel, block, blocks >> shift);
  }
}

/// One record of the lanes in `mask`, which are those that execute this together.
/// The lanes talk through shared memory, in the lock step in which they came. There must be no
/// shuffle or vote (`*_sync`), no atomic that returns a value, no volatile load and no call: where
/// one of these stands in a loop the assembler lets lanes that have left the loop run ahead, and
/// the warp's later accesses would be counted in pieces.
__device__ __forceinline__ void record(std::uint32_t mask, std::uint32_t site,
                                       unsigned long long address, std::uint32_t bytes) {
  const std::uint32_t below = mask & lanesBelow();
  const std::uint32_t warp = linearThread() / 32;
  if (peek(blockState.next[warp]) > peek(blockState.end[warp]))
    return; // the room is used up
  const int lane = __popc(lanesBelow());
  const int leader = __ffs(static_cast<int>(mask)) - 1;
  const std::uint32_t others = mask & (mask - 1);
  const int apart = others != 0 ? __ffs(static_cast<int>(others)) - 1 - leader : 1;
  if (below == 0) {
    poke(blockState.first[warp], address);
    poke(blockState.second[warp], address);
    poke(blockState.shapes[warp], 0u);
  }
  if (lane == leader + apart)
    poke(blockState.second[warp], address);
  const unsigned long long first = peek(blockState.first[warp]);
  const auto rise = static_cast<std::int64_t>(peek(blockState.second[warp]) - first);
  const std::int32_t stride = static_cast<std::int32_t>(rise) / apart;
  const unsigned long long expected =
      first + static_cast<unsigned long long>(static_cast<std::int64_t>(stride) * (lane - leader));
  if (rise != static_cast<std::int32_t>(rise) || address != expected)
    pokeByte(blockState.shapes[warp], 0);
  // Also lanes that lie on the line: that of the second lane says nothing about the others'.
  if (address - (first - kBias16) >= 2 * kBias16)
    pokeByte(blockState.shapes[warp],
             static_cast<std::uint32_t>(address - (first - kBias32) < 2 * kBias32
                                            ? Shape::Offsets32
                                            : Shape::Addresses64));
  const std::uint32_t shapes = peek(blockState.shapes[warp]);
  const Shape shape = (shapes & 1) == 0    ? Shape::Affine
                      : shapes >= 1u << 24 ? Shape::Addresses64
                      : shapes >= 1u << 16 ? Shape::Offsets32
                                           : Shape::Offsets16;
  const unsigned long long base = shape == Shape::Affine      ? first
                                  : shape == Shape::Offsets16 ? first - kBias16
                                  : shape == Shape::Offsets32 ? first - kBias32
                                                              : 0;
  if (below == 0) {
    const std::uint32_t laneBytes =
        shape == Shape::Affine ? 0 : 1u << static_cast<std::uint32_t>(shape);
    const std::uint32_t size =
        (kHeadBytes + laneBytes * __popc(mask) + kGranuleBytes - 1) / kGranuleBytes * kGranuleBytes;
    const std::uint32_t next = peek(blockState.next[warp]);
    const std::uint32_t after = next + size / kGranuleBytes;
    const std::uint32_t end = peek(blockState.end[warp]);
    const bool fits = after <= end;
    // A warp's records are its first ones, without gaps.
    poke(blockState.next[warp], fits ? after : end + 1);
    poke(blockState.place[warp], fits ? next : kNoSpace);
    if (fits) {
      auto *const head = reinterpret_cast<uint4 *>(control.records +
                                                   static_cast<std::size_t>(next) * kGranuleBytes);
      head[1] = make_uint4(static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(base >> 32),
                           static_cast<std::uint32_t>(stride), 0);
      head[0] = make_uint4(kAccessTag | static_cast<std::uint32_t>(shape) << 29 | warp << 24 |
                               (control.firstSite + site),
                           static_cast<std::uint32_t>(specialClock()), mask, bytes);
    }
  }
  const std::uint32_t granule = peek(blockState.place[warp]);
  if (shape != Shape::Affine && granule != kNoSpace) {
    unsigned char *const offsets =
        control.records + std::size_t{granule} * kGranuleBytes + kHeadBytes;
    const int place = __popc(below);
    if (shape == Shape::Offsets16)
      reinterpret_cast<std::uint16_t *>(offsets)[place] =
          static_cast<std::uint16_t>(address - base);
    else if (shape == Shape::Offsets32)
      reinterpret_cast<std::uint32_t *>(offsets)[place] =
          static_cast<std::uint32_t>(address - base);
    else
      reinterpret_cast<std::uint64_t *>(offsets)[place] = address;
  }
}

/// Adds if `follows` is 0, without a branch. The address is made to depend on the lane: where the
/// compiler finds it to be the warp's, it puts an election of its own around every addition.
__device__ inline void addUnless(std::uint32_t follows, unsigned long long counter,
                                 std::uint32_t amount) {
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "setp.eq.u32 p, %0, 0;\n\t"
               "@p red.global.relaxed.gpu.add.u64 [%1], %2;\n\t"
               "}" ::"r"(follows),
               "l"(counter + follows), "l"(static_cast<unsigned long long>(amount)));
}

#endif // __CUDA_ARCH__

__host__ __device__ __forceinline__ void access(std::uint32_t site, const volatile void *pointer,
                                                std::size_t bytes) {
#ifdef __CUDA_ARCH__
  if (!__isGlobal(const_cast<const void *>(pointer)))
    return;
  const std::uint32_t mask = __activemask();
  const uint4 state = *reinterpret_cast<const uint4 *>(&blockState);
  const unsigned long long tally =
      (static_cast<unsigned long long>(state.y) << 32 | state.x) + site * sizeof(SiteTally);
  const std::uint32_t follows = (mask & lanesBelow()) | state.z; // 0 in the one lane that counts
  addUnless(follows, tally, 1);
  if ((~mask | state.w) != 0) {
    addUnless(follows, tally + sizeof(unsigned long long), 32 - __popc(mask));
    if (state.w != 0)
      record(mask, site, reinterpret_cast<unsigned long long>(pointer),
             static_cast<std::uint32_t>(bytes));
  }
#endif
}

} // namespace detail

/// First statement of every kernel that has probes or calls functions that have: tells what runs.
/// \param index  of the kernel, in this module's site table
__device__ __forceinline__ void kernel(std::uint32_t index) {
#ifdef __CUDA_ARCH__
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0)
    detail::beginBlock(index);
  __syncthreads();
#endif
}

template <class T> __host__ __device__ __forceinline__ T &read(std::uint32_t site, T &x) {
  detail::access(site, &reinterpret_cast<const volatile char &>(x), sizeof(T));
  return x;
}

template <class T> __host__ __device__ __forceinline__ T &write(std::uint32_t site, T &x) {
  detail::access(site, &reinterpret_cast<const volatile char &>(x), sizeof(T));
  return x;
}

/// `x += v`, `++x`: a read, then a write.
template <class T>
__host__ __device__ __forceinline__ T &readWrite(std::uint32_t readSite, std::uint32_t writeSite,
                                                 T &x) {
  detail::access(readSite, &reinterpret_cast<const volatile char &>(x), sizeof(T));
  detail::access(writeSite, &reinterpret_cast<const volatile char &>(x), sizeof(T));
  return x;
}

/// The pointer argument of an atomic.
template <class T> __host__ __device__ __forceinline__ T *atomic(std::uint32_t site, T *x) {
  detail::access(site, x, sizeof(T));
  return x;
}

} // namespace relayout::probe

#include "relayout/device/registration.cuh"
