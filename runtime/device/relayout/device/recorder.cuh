// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what the probes of an instrumented program do in device memory, for nvcc: counting
// in the multiprocessor's row, and the records of sampled blocks.
#pragma once

#include "relayout/device/buffers.h"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

namespace relayout::probe {

// Kernels without probes call functions with probes: those of other translation units, or of
// headers whose algorithms take function objects.
#if defined(__CUDACC_RDC__) || defined(RELAYOUT_OTHER_KERNELS)
#define RELAYOUT_MARKS_BLOCKS
#endif

/// Of the running block, made by probe::kernel().
struct BlockState {
  unsigned long long tallies; ///< of this kernel's sites
  // Of sampled blocks only.
  unsigned long long headers; ///< of the first warp in global memory; 0: no room for records
  std::uint32_t bufferBytes;  ///< from one warp's buffer header to the next one's
#ifdef RELAYOUT_MARKS_BLOCKS
  unsigned long long mark; ///< tells the block that made it, see markOfBlock()
#endif
};

// Device code that is linked shares it: kernels call functions of other translation units.
#ifdef __CUDACC_RDC__
inline __shared__ BlockState blockState;
#else
static __shared__ BlockState blockState;
#endif

// Linking keeps one of the functions of each name, unless they are of one translation unit alone.
namespace {

namespace detail {

using namespace relayout::device;

// Of this module, which a translation unit is; filled by runtime/gpu.
__constant__ Control control;

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
__device__ inline void addTo(unsigned long long counter, unsigned long long amount) {
  asm volatile("red.global.relaxed.gpu.add.u64 [%0], %1;" ::"l"(counter), "l"(amount));
}

__device__ inline std::uint64_t specialClock() {
  std::uint64_t value;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(value));
  return value;
}

// A header as other lanes of the warp see it: neither cached in registers nor moved past each
// other. Nothing else reads or writes there, so the program's own loads may move past them.
__device__ inline std::uint32_t peek(unsigned long long at) {
  std::uint32_t value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
  return value;
}
__device__ inline void peek(unsigned long long at, std::uint32_t &first, std::uint32_t &second) {
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "l"(at));
}
__device__ inline void peek(unsigned long long at, unsigned long long &first,
                            unsigned long long &second) {
  asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(at));
}
__device__ inline void poke(unsigned long long at, std::uint32_t value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value));
}
__device__ inline void poke(unsigned long long at, unsigned long long value) {
  asm volatile("st.global.u64 [%0], %1;" ::"l"(at), "l"(value));
}
__device__ inline void poke(unsigned long long at, unsigned long long first,
                            unsigned long long second) {
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(first), "l"(second));
}
__device__ inline void pokeByte(unsigned long long at) {
  asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(1));
}
/// What the active lanes of a warp have written is seen by all of them.
__device__ inline void meet(std::uint32_t mask) { asm volatile("bar.warp.sync %0;" ::"r"(mask)); }
// Of records, which nothing else touches.
__device__ inline void store(void *to, uint4 value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w));
}
__device__ inline void store(void *to, std::uint16_t value) {
  asm volatile("st.global.u16 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "h"(value));
}
__device__ inline void store(void *to, std::uint32_t value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(value));
}
__device__ inline void store(void *to, unsigned long long value) {
  asm volatile("st.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "l"(value));
}

__device__ inline std::uint32_t linearBlock() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__device__ inline unsigned long long markOfBlock() {
  return (specialGrid() + 1) * 0x9e3779b97f4a7c15ull ^ linearBlock();
}
__device__ inline std::uint64_t blocksOfGrid() {
  return static_cast<std::uint64_t>(gridDim.x) * gridDim.y * gridDim.z;
}
/// log2 of the stride at which blocks are sampled, as sampleShift().
__device__ inline std::uint32_t stepLog2() {
  const int over =
      63 - __clzll(static_cast<long long>(blocksOfGrid())) - static_cast<int>(control.sampleLog2);
  return over > 0 && control.sampling == Sampling::Blocks ? static_cast<std::uint32_t>(over) : 0;
}

/// Whether accesses of this block may be recorded; if not, they are not. Made without branches, and
/// only of what the compiler knows to be the same for all threads and in all functions: one that is
/// inlined behind a test of it needs no test of its own. Never in a module that is not armed, nor
/// in what is inlined into a twin.
__device__ inline bool mayRecordBlock() {
  return (static_cast<int>(control.kernelsRecord != 0) &
          static_cast<int>(control.sampling != Sampling::Counts) &
          static_cast<int>(isSampled(linearBlock(), stepLog2()))) != 0;
}

/// All ones where accesses of this block are recorded, else 0.
__device__ inline std::uint32_t isSampledBlock() {
  const int is =
      static_cast<int>(mayRecordBlock()) & (static_cast<int>(control.sampling != Sampling::OneSm) |
                                            static_cast<int>(specialSm() == control.sampledSm));
  // The compiler is not to know of what it is made: it would make it again at each access.
  std::uint32_t known;
  asm("mov.b32 %0, %1;" : "=r"(known) : "r"(is != 0 ? 0xffffffffu : 0u));
  return control.kernelsRecord != 0 ? known : 0;
}

/// Whether probes have anything to do in this block. Kernels without probes leave the state of an
/// earlier block, or anything at all.
__device__ inline bool isArmed() {
#ifdef RELAYOUT_MARKS_BLOCKS
  return control.tallies != nullptr && blockState.mark == markOfBlock();
#else
  return control.tallies != nullptr;
#endif
}

__device__ inline std::uint32_t linearThread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// Number of the running launch, from 0, among those of its kernel that sampled a block.
__device__ inline std::uint64_t launchNumber(KernelTally *tally, std::uint64_t grid) {
  constexpr unsigned long long kMost = (1ull << kLaunchBits) - 1;
  const unsigned long long own = (grid + 1ull) << kLaunchBits;
  unsigned long long newest = atomicAdd(&tally->newestLaunch, 0ull);
  while (newest < own) {
    const unsigned long long count = newest & kMost;
    const unsigned long long next = own | (count < kMost ? count + 1 : kMost);
    const unsigned long long found = atomicCAS(&tally->newestLaunch, newest, next);
    newest = found == newest ? next : found;
  }
  return (newest & kMost) - 1;
}

/// Takes buffers for all warps of the block: while it runs no atomic is needed.
__device__ __noinline__ void beginSampledBlock(std::uint32_t kernel, std::uint32_t block,
                                               std::uint64_t blocks) {
  const std::uint64_t grid = specialGrid();
  KernelTally *const tally = &control.kernels[kernel];
  atomicAdd(&tally->sampledBlocks, 1ull);
  const std::uint64_t launch = launchNumber(tally, grid);
  const std::uint32_t warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
  const bool deep = control.sampling == Sampling::Blocks &&
                    isDeep(block >> stepLog2(), blocks, deepBlocks(launch));
  const std::uint32_t share = warpShare(control.granules, control.kernelCount, launch,
                                        blocks != 0 ? blocks : 1, warps, deep);
  constexpr std::uint32_t kHeadGranules = kHeadBytes / kGranuleBytes;
  constexpr std::uint32_t kHeaderGranules = sizeof(BufferHeader) / kGranuleBytes;
  const unsigned long long needed = kHeadGranules + static_cast<unsigned long long>(warps) * share;
  const unsigned long long at = atomicAdd(&control.totals->granules, needed);
  if (at + needed > control.granules)
    return;
  auto *const head =
      reinterpret_cast<uint4 *>(control.records + static_cast<std::size_t>(at) * kGranuleBytes);
  auto *const headers =
      reinterpret_cast<BufferHeader *>(head + kHeadGranules + share - kHeaderGranules);
  blockState.headers = reinterpret_cast<unsigned long long>(headers);
  blockState.bufferBytes = share * kGranuleBytes;
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    const std::uint32_t next = static_cast<std::uint32_t>(at) + kHeadGranules + warp * share;
    *reinterpret_cast<BufferHeader *>(reinterpret_cast<unsigned char *>(headers) +
                                      std::size_t{warp} * share * kGranuleBytes) = {
        0, 0, next, next + share - kHeaderGranules, 0, 0, 0, 0, {}};
  }
  const std::uint64_t clock = specialClock();
  head[1] = make_uint4(static_cast<std::uint32_t>(grid), static_cast<std::uint32_t>(grid >> 32),
                       static_cast<std::uint32_t>(clock), static_cast<std::uint32_t>(clock >> 32));
  head[0] = make_uint4(kBlockTag, block, warps, share);
}

/// \tparam kIsTwin  no block of a twin has room for records
template <bool kIsTwin> __device__ inline void beginBlock(std::uint32_t moduleKernel) {
  if (control.tallies == nullptr)
    return;
  const std::uint32_t kernel = control.firstKernel + moduleKernel;
  const std::size_t row =
      static_cast<std::size_t>(specialSm() & control.rowMask) * control.kernelCount + kernel;
  blockState.tallies =
      reinterpret_cast<unsigned long long>(control.tallies + row * control.siteCount);
#ifdef RELAYOUT_MARKS_BLOCKS
  blockState.mark = markOfBlock();
#endif
  const std::uint32_t block = linearBlock();
  const std::uint64_t blocks = blocksOfGrid();
  if (block == 0) {
    addTo(reinterpret_cast<unsigned long long>(&control.kernels[kernel].launches), 1);
    addTo(reinterpret_cast<unsigned long long>(&control.kernels[kernel].blocks), blocks);
    const std::uint32_t index = atomicAdd(&control.totals->launches, 1u);
    if (index < control.launchRows)
      control.launches[index] = {specialGrid() + 1,
                                 kIsTwin ? kernel | kOfTwin : kernel,
                                 {gridDim.x, gridDim.y, gridDim.z},
                                 {blockDim.x, blockDim.y, blockDim.z},
                                 specialSharedBytes()};
  }
  blockState.headers = 0;
  // About as many blocks run on each multiprocessor.
  if (!kIsTwin && isSampledBlock() != 0)
    beginSampledBlock(kernel, block,
                      control.sampling == Sampling::OneSm ? blocks / (control.rowMask + 1) + 1
                                                          : blocks >> stepLog2());
}

/// Of the running warp; 0: the block has no room for records.
__device__ __forceinline__ unsigned long long headerOfWarp() {
  const unsigned long long headers = blockState.headers;
  return headers == 0 ? 0
                      : headers + static_cast<unsigned long long>(linearThread() / 32) *
                                      blockState.bufferBytes;
}

/// The same answer for all lanes that ask together, whatever each of them has seen before.
__device__ __forceinline__ bool hasRoom() {
  const unsigned long long header = headerOfWarp();
  return header != 0 && peek(header + offsetof(BufferHeader, next)) != kNoRoom;
}

/// The bytes that lanes have set tell what their addresses do not fit.
__device__ __forceinline__ Shape shapeFrom(std::uint32_t shapes) {
  return (shapes & 1) == 0    ? Shape::Affine
         : shapes >= 1u << 24 ? Shape::Addresses64
         : shapes >= 1u << 16 ? Shape::Offsets32
                              : Shape::Offsets16;
}

/// What the offsets of a record are relative to.
__device__ __forceinline__ unsigned long long baseOf(Shape shape, unsigned long long first) {
  return shape == Shape::Affine      ? first
         : shape == Shape::Offsets16 ? first - kBias16
         : shape == Shape::Offsets32 ? first - kBias32
                                     : 0;
}

/// \param offset  from the record's base
__device__ __forceinline__ void storeOffset(unsigned char *offsets, int place, Shape shape,
                                            unsigned long long offset) {
  if (shape == Shape::Offsets16)
    store(offsets + 2 * place, static_cast<std::uint16_t>(offset));
  else if (shape == Shape::Offsets32)
    store(offsets + 4 * place, static_cast<std::uint32_t>(offset));
  else if (shape == Shape::Addresses64)
    store(offsets + 8 * place, offset);
}

/// Sets the byte of the offsets that a lane needs, in lanes whose address is affine too: that of
/// the second lane says nothing about the others'.
__device__ __forceinline__ void noteDistance(unsigned long long header, unsigned long long address,
                                             unsigned long long first) {
  if (address - (first - kBias16) >= 2 * kBias16)
    pokeByte(header + offsetof(BufferHeader, shapes) +
             static_cast<std::uint32_t>(address - (first - kBias32) < 2 * kBias32
                                            ? Shape::Offsets32
                                            : Shape::Addresses64));
}

__device__ __forceinline__ void storeHead(unsigned char *head, uint4 opening,
                                          unsigned long long base, std::int32_t stride) {
  store(head + sizeof(uint4),
        make_uint4(static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(base >> 32),
                   static_cast<std::uint32_t>(stride), 0));
  store(head, opening);
}

/// One record of the lanes in `mask`, which are those that execute this together.
/// \returns  whether there was room; if not, the warp will have none either
/// The lanes talk through memory. There must be no shuffle or vote, no atomic that returns a value,
/// no volatile load and no call: where one of these stands in a loop the assembler lets lanes that
/// have left the loop run ahead, and the warp's later accesses would be counted in pieces. A
/// barrier of the warp does no such harm.
/// The other lanes of the warp, on another side of a branch, use the same header. Nothing in CUDA's
/// rules keeps them from running meanwhile, though no GPU has been seen to let them; so the first
/// lane enters its mask in the header before any lane uses it, and all compare it when they are
/// done.
__device__ __forceinline__ bool record(std::uint32_t mask, std::uint32_t site,
                                       unsigned long long address, std::uint32_t bytes) {
  const std::uint32_t warp = linearThread() / 32;
  const unsigned long long header = headerOfWarp();
  if (header == 0)
    return false;
  const std::uint32_t below = mask & lanesBelow();
  const int lane = __popc(lanesBelow());
  const int leader = __ffs(static_cast<int>(mask)) - 1;
  if (below == 0) {
    poke(header + offsetof(BufferHeader, owner), mask);
    poke(header + offsetof(BufferHeader, shapes), 0u);
    poke(header + offsetof(BufferHeader, first), address, address);
  }
  meet(mask);
  if (lane == leader + 1)
    poke(header + offsetof(BufferHeader, second), address);
  meet(mask);
  std::uint32_t next, end;
  peek(header + offsetof(BufferHeader, next), next, end);
  if (next == kNoRoom)
    return false;
  unsigned long long first, second;
  peek(header + offsetof(BufferHeader, first), first, second);
  // 0 where the second lane is not active: then only equal addresses are affine.
  const auto rise = static_cast<std::int64_t>(second - first);
  const auto stride = static_cast<std::int32_t>(rise);
  const unsigned long long expected =
      first + static_cast<unsigned long long>(static_cast<std::int64_t>(stride) * (lane - leader));
  if (rise != stride || address != expected)
    pokeByte(header + offsetof(BufferHeader, shapes));
  noteDistance(header, address, first);
  meet(mask);
  const std::uint32_t shapes = peek(header + offsetof(BufferHeader, shapes));
  const Shape shape = shapeFrom(shapes);
  const unsigned long long base = baseOf(shape, first);
  const std::uint32_t laneBytes =
      shape == Shape::Affine ? 0 : 1u << static_cast<std::uint32_t>(shape);
  const std::uint32_t size =
      (kHeadBytes + laneBytes * __popc(mask) + kGranuleBytes - 1) / kGranuleBytes;
  const bool fits = next < end && size <= end - next;
  unsigned char *const head = control.records + std::size_t{next} * kGranuleBytes;
  if (below == 0) {
    // A warp's records are its first ones, without gaps.
    poke(header + offsetof(BufferHeader, next), fits ? next + size : kNoRoom);
    if (fits)
      storeHead(head,
                make_uint4(kAccessTag | static_cast<std::uint32_t>(shape) << 29 | warp << 24 |
                               (control.firstSite + site),
                           static_cast<std::uint32_t>(specialClock()), mask, bytes),
                base, stride);
  }
  if (fits)
    storeOffset(head + kHeadBytes, __popc(below), shape, address - base);
  if (peek(header + offsetof(BufferHeader, owner)) != mask)
    poke(header + offsetof(BufferHeader, mixed), 1u);
  meet(mask); // all have read what the next record overwrites, and see its place
  return fits;
}

/// The same where no loop is around it, or a function has many accesses in loops: nvcc's time grows
/// with the code that it has to place.
__device__ __noinline__ bool recordByCall(std::uint32_t mask, std::uint32_t site,
                                          unsigned long long address, std::uint32_t bytes) {
  return record(mask, site, address, bytes);
}

/// Keeps a value from being loaded behind the test of a probe: there, the loads of a loop would
/// wait for each other, as the compiler moves none across a test.
__device__ __forceinline__ void holdHere(float &value) { asm volatile("" : "+f"(value)); }
__device__ __forceinline__ void holdHere(double &value) { asm volatile("" : "+d"(value)); }
__device__ __forceinline__ void holdHere(int &value) { asm volatile("" : "+r"(value)); }
__device__ __forceinline__ void holdHere(unsigned &value) { asm volatile("" : "+r"(value)); }

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

__device__ inline unsigned long long tallyOf(std::uint32_t site) {
  return blockState.tallies + (control.firstSite + site) * sizeof(SiteTally);
}

/// The compiler knows the answer for what comes from a kernel's parameters. Of pointers that are
/// loaded and compared with null, and of some parameters of device functions, it makes an ill-typed
/// call ("Broken function found", nvcc 13.0), so programs that have such ask in a way that it does
/// not look into: they run slower, as it then tests the space of every pointer.
__device__ inline bool isGlobal(const volatile void *pointer) {
#ifdef RELAYOUT_LOADS_POINTERS
  int is;
  asm("{.reg .pred p; isspacep.global p, %1; selp.s32 %0, 1, 0, p;}" : "=r"(is) : "l"(pointer));
  return is != 0;
#else
  return __isGlobal(const_cast<const void *>(pointer)) != 0;
#endif
}

/// Counts one access of the lanes in `mask` in global memory, without a branch, so that the
/// compiler may move the program's own loads past it.
__device__ __forceinline__ void countAtOnce(bool armed, std::uint32_t mask, std::uint32_t site) {
  // 0 in the one lane that counts
  const std::uint32_t follows = (mask & lanesBelow()) | static_cast<std::uint32_t>(!armed);
  addUnless(follows, tallyOf(site), 1);
  addUnless(follows | static_cast<std::uint32_t>(~mask == 0),
            tallyOf(site) + sizeof(unsigned long long), __popc(~mask));
}

/// Counts one access of the lanes in `mask` in registers of the lowest one: six instructions.
__device__ __forceinline__ void countInRegisters(std::uint32_t mask, std::uint32_t &warps,
                                                 unsigned long long &lanes) {
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               ".reg .u32 t, n;\n\t"
               ".reg .u64 w;\n\t"
               "and.b32 t, %2, %3;\n\t"
               "setp.eq.u32 p, t, 0;\n\t"
               "popc.b32 n, %2;\n\t"
               "cvt.u64.u32 w, n;\n\t"
               "@p add.u32 %0, %0, 1;\n\t"
               "@p add.u64 %1, %1, w;\n\t"
               "}"
               : "+r"(warps), "+l"(lanes)
               : "r"(mask), "r"(lanesBelow()));
}

#endif // __CUDA_ARCH__

} // namespace detail

} // namespace

} // namespace relayout::probe
