// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cooperative groups of a block, a warp and a grid. Clusters and
// groups of several devices are not there.
#pragma once
#define _COOPERATIVE_GROUPS_H_

#include "relayout/host/macros_aside.h"

#include "cuda_runtime.h"

#include <type_traits>

namespace relayout::host::detail {

/// Waits until all threads of a cooperative launch have come.
__device__ void gridBarrier();
__device__ bool isCooperative();

__device__ inline unsigned int threadRank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned int blockThreads() { return blockDim.x * blockDim.y * blockDim.z; }

/// A value of any size from another lane, eight bytes at a time.
template <class T>
__device__ inline T shuffleAny(unsigned int mask, const T &value, unsigned int fromLane) {
  static_assert(std::is_trivially_copyable<T>::value, "lanes exchange bytes");
  T result = value;
  const char *const from = reinterpret_cast<const char *>(&value);
  char *const to = reinterpret_cast<char *>(&result);
  for (size_t at = 0; at < sizeof(T); at += 8) {
    const size_t bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
    unsigned long long word = 0;
    __builtin_memcpy(&word, from + at, bytes);
    word = warp(WarpOperation::Shuffle, mask, word, fromLane);
    __builtin_memcpy(to + at, &word, bytes);
  }
  return result;
}

} // namespace relayout::host::detail

namespace cooperative_groups {

namespace details = relayout::host::detail;

/// What every group of lanes of one warp does: `mask` names its lanes, in the order of their ranks.
class LaneGroup {
public:
  __device__ explicit LaneGroup(unsigned int mask) : mask_(mask) {}

  __device__ unsigned int size() const { return __popc(mask_); }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int thread_rank() const {
    return __popc(mask_ & ((1u << details::laneId()) - 1));
  }
  __device__ void sync() const { __syncwarp(mask_); }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned int ballot(int predicate) const {
    return packed(__ballot_sync(mask_, predicate));
  }
  template <class T> __device__ unsigned int match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T> __device__ unsigned int match_all(T value, int &equal) const {
    return packed(__match_all_sync(mask_, value, &equal));
  }
  template <class T> __device__ T shfl(T value, unsigned int rank) const {
    return details::shuffleAny(mask_, value, laneOf(rank % size()));
  }
  template <class T> __device__ T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return details::shuffleAny(mask_, value, laneOf(rank >= delta ? rank - delta : rank));
  }
  template <class T> __device__ T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return details::shuffleAny(mask_, value, laneOf(rank + delta < size() ? rank + delta : rank));
  }
  template <class T> __device__ T shfl_xor(T value, unsigned int rankMask) const {
    const unsigned int rank = thread_rank() ^ rankMask;
    return details::shuffleAny(mask_, value, laneOf(rank < size() ? rank : thread_rank()));
  }
  __device__ unsigned int mask() const { return mask_; }

protected:
  /// The lane of a rank: the rank-th bit of the mask.
  __device__ unsigned int laneOf(unsigned int rank) const {
    unsigned int rest = mask_;
    for (unsigned int i = 0; i < rank; ++i)
      rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  /// A mask of lanes as one of ranks.
  __device__ unsigned int packed(unsigned int lanes) const {
    unsigned int ranks = 0, bit = 1;
    for (unsigned int rest = mask_; rest != 0; rest &= rest - 1, bit <<= 1)
      if ((lanes & rest & (~rest + 1)) != 0)
        ranks |= bit;
    return ranks;
  }

private:
  unsigned int mask_;
};

class coalesced_group : public LaneGroup {
public:
  __device__ explicit coalesced_group(unsigned int mask) : LaneGroup(mask) {}
  __device__ unsigned int meta_group_rank() const { return 0; }
  __device__ unsigned int meta_group_size() const { return 1; }
};

/// The threads of this block.
class thread_block {
public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned int thread_rank() { return details::threadRank(); }
  __device__ static unsigned int size() { return details::blockThreads(); }
  __device__ static unsigned int num_threads() { return details::blockThreads(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return blockDim; }
  __device__ static dim3 dim_threads() { return blockDim; }
};

/// The part of a warp that a tile of `size` lanes around this lane is.
__device__ inline unsigned int tileMask(unsigned int size) {
  const unsigned int lane = details::laneId();
  const unsigned int tile = size >= 32 ? ~0u : ((1u << size) - 1) << (lane / size * size);
  const unsigned int warpStart = details::threadRank() - lane;
  const unsigned int lanes = details::blockThreads() - warpStart;
  return lanes >= 32 ? tile : tile & ((1u << lanes) - 1);
}

template <unsigned int Size, class Parent = void> class thread_block_tile : public LaneGroup {
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0,
                "the CPU executor has tiles of up to 32 threads");

public:
  __device__ thread_block_tile() : LaneGroup(tileMask(Size)) {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other> &other)
      : LaneGroup(other.mask()) {}

  __device__ static constexpr unsigned int size() { return Size; }
  __device__ static constexpr unsigned int num_threads() { return Size; }
  __device__ unsigned int thread_rank() const { return details::laneId() & (Size - 1); }
  __device__ unsigned int meta_group_rank() const { return details::threadRank() / Size; }
  __device__ unsigned int meta_group_size() const {
    return (details::blockThreads() + Size - 1) / Size;
  }
};

/// All threads of a cooperative launch.
class grid_group {
public:
  __device__ static bool is_valid() { return details::isCooperative(); }
  __device__ static void sync() { details::gridBarrier(); }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  __device__ static unsigned long long size() { return num_blocks() * details::blockThreads(); }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * details::blockThreads() + details::threadRank();
  }
  __device__ static dim3 group_dim() { return gridDim; }
  __device__ static dim3 dim_blocks() { return gridDim; }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};

/// Any of the groups, chosen at run time.
class thread_group {
public:
  __device__ thread_group(const thread_block &) : mask_(0) {}
  __device__ thread_group(const grid_group &) : mask_(0), isGrid_(true) {}
  __device__ thread_group(const LaneGroup &lanes) : mask_(lanes.mask()) {}

  __device__ unsigned long long size() const {
    return isGrid_ ? grid_group::size() : mask_ == 0 ? thread_block::size() : lanes().size();
  }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    return isGrid_      ? grid_group::thread_rank()
           : mask_ == 0 ? thread_block::thread_rank()
                        : lanes().thread_rank();
  }
  __device__ void sync() const {
    if (isGrid_)
      grid_group::sync();
    else if (mask_ == 0)
      thread_block::sync();
    else
      lanes().sync();
  }

private:
  __device__ LaneGroup lanes() const { return LaneGroup(mask_); }
  unsigned int mask_; ///< 0: the block or the grid
  bool isGrid_ = false;
};

__device__ inline thread_block this_thread_block() { return {}; }
__device__ inline grid_group this_grid() { return {}; }
// Always inlined: the place of the call tells groups of lanes apart.
__device__ __forceinline__ coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

template <unsigned int Size, class Parent>
__device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}
__device__ inline thread_group tiled_partition(const thread_group &, unsigned int size) {
  return LaneGroup(tileMask(size));
}
template <class Group>
__device__ inline coalesced_group binary_partition(const Group &group, bool predicate) {
  const unsigned int yes = __ballot_sync(group.mask(), predicate);
  return coalesced_group(predicate ? yes : group.mask() & ~yes);
}
template <class Group, class Label>
__device__ inline coalesced_group labeled_partition(const Group &group, Label label) {
  return coalesced_group(__match_any_sync(group.mask(), label));
}

template <class Group> __device__ inline void sync(const Group &group) { group.sync(); }
template <class Group> __device__ inline void synchronize(const Group &group) { group.sync(); }
template <class Group> __device__ inline auto thread_rank(const Group &group) {
  return group.thread_rank();
}
template <class Group> __device__ inline auto group_size(const Group &group) {
  return group.size();
}

/// Calls the function in one thread of the group.
template <class Group, class Function, class... Arguments>
__device__ inline void invoke_one(const Group &group, Function &&function,
                                  Arguments &&...arguments) {
  if (group.thread_rank() == 0)
    function(static_cast<Arguments &&>(arguments)...);
}

} // namespace cooperative_groups

#include "relayout/host/macros_back.h"
