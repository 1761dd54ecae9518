// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: operators, and what storage and ranks of threads need.
#pragma once

#include "../util_type.cuh"

// As CUB's own does: its operators from version 3 on are these.
#if __has_include(<cuda/functional>)
#include <cuda/functional>
#include <cuda/std/functional>
#endif

namespace cub {

// Of two types, as flags and their number.
struct Sum {
  template <class T, class U> __host__ __device__ auto operator()(const T &a, const U &b) const {
    return a + b;
  }
};
struct Max {
  template <class T, class U>
  __host__ __device__ std::common_type_t<T, U> operator()(const T &a, const U &b) const {
    using Common = std::common_type_t<T, U>;
    return a < b ? static_cast<Common>(b) : static_cast<Common>(a);
  }
};
struct Min {
  template <class T, class U>
  __host__ __device__ std::common_type_t<T, U> operator()(const T &a, const U &b) const {
    using Common = std::common_type_t<T, U>;
    return b < a ? static_cast<Common>(b) : static_cast<Common>(a);
  }
};
struct Equality {
  template <class T, class U> __host__ __device__ bool operator()(const T &a, const U &b) const {
    return a == b;
  }
};
struct Inequality {
  template <class T, class U> __host__ __device__ bool operator()(const T &a, const U &b) const {
    return a != b;
  }
};
struct Difference {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return static_cast<T>(a - b);
  }
};
struct Division {
  template <class T, class U> __host__ __device__ auto operator()(const T &a, const U &b) const {
    return a / b;
  }
};
/// Of equal values the one with the smaller key.
struct ArgMax {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
template <class To> struct CastOp {
  template <class From> __host__ __device__ To operator()(From &&value) const {
    return static_cast<To>(value);
  }
};
template <class EqualityOp> struct InequalityWrapper {
  EqualityOp op;
  __host__ __device__ explicit InequalityWrapper(EqualityOp equality) : op(equality) {}
  template <class T, class U> __host__ __device__ bool operator()(const T &a, const U &b) {
    return !op(a, b);
  }
};
template <class ScanOp> class SwizzleScanOp {
public:
  __host__ __device__ explicit SwizzleScanOp(ScanOp operation) : operation_(operation) {}
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) {
    return operation_(b, a);
  }

private:
  ScanOp operation_;
};
/// Of pairs whose key counts heads of segments.
template <class ReductionOp> struct ReduceBySegmentOp {
  ReductionOp op;
  __host__ __device__ ReduceBySegmentOp() {}
  __host__ __device__ explicit ReduceBySegmentOp(ReductionOp operation) : op(operation) {}
  template <class Pair> __host__ __device__ Pair operator()(const Pair &a, const Pair &b) {
    Pair result;
    result.key = a.key + b.key;
    result.value = b.key != 0 ? b.value : op(a.value, b.value);
    return result;
  }
};
template <class ReductionOp> struct ReduceByKeyOp {
  ReductionOp op;
  __host__ __device__ ReduceByKeyOp() {}
  __host__ __device__ explicit ReduceByKeyOp(ReductionOp operation) : op(operation) {}
  template <class Pair> __host__ __device__ Pair operator()(const Pair &a, const Pair &b) {
    Pair result = b;
    if (a.key == b.key)
      result.value = op(a.value, b.value);
    return result;
  }
};

namespace detail {
__device__ inline int threadRank() {
  return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
struct Less {
  template <class T, class U> __host__ __device__ bool operator()(const T &a, const U &b) const {
    return a < b;
  }
};
inline constexpr int kWarpLanes = 32;
/// The group of so many lanes of a warp that this lane is of. The last warp of a block may have
/// fewer.
template <int kLanes> struct Lanes {
  static_assert(0 < kLanes && kLanes <= kWarpLanes, "a warp has 32 lanes");
  __device__ static int rank() { return threadRank() % kWarpLanes % kLanes; }
  __device__ static int first() { return threadRank() % kWarpLanes / kLanes * kLanes; }
  __device__ static int count() {
    const int threads = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    int lanes = threads - threadRank() + rank();
    if (lanes > kWarpLanes - first())
      lanes = kWarpLanes - first();
    return lanes < kLanes ? lanes : kLanes;
  }
  __device__ static unsigned int mask() {
    const int lanes = count();
    return (lanes >= kWarpLanes ? ~0u : (1u << lanes) - 1) << first();
  }
  __device__ static void sync() { __syncwarp(mask()); }
};
/// A value of each lane, for all of them to read while this lives. They lie on the stack of the
/// first lane: programs may give all warps one temporary storage, where shuffles need none.
template <class T, int kLanes> class LaneValues {
public:
  __device__ explicit LaneValues(const T &value) {
    const auto mine = reinterpret_cast<unsigned long long>(bytes_);
    values_ =
        reinterpret_cast<T *>(__shfl_sync(Lanes<kLanes>::mask(), mine, Lanes<kLanes>::first()));
    values_[Lanes<kLanes>::rank()] = value;
    Lanes<kLanes>::sync();
  }
  __device__ ~LaneValues() { Lanes<kLanes>::sync(); }
  LaneValues(const LaneValues &) = delete;
  LaneValues &operator=(const LaneValues &) = delete;
  __device__ T &operator[](int lane) const { return values_[lane]; }

private:
  alignas(T) unsigned char bytes_[kLanes * sizeof(T)];
  T *values_;
};
/// A thread's items as one value.
template <class T, int kItems> struct Items {
  T items[kItems];
  __device__ static const Items &of(const T (&items)[kItems]) {
    return reinterpret_cast<const Items &>(items);
  }
};
/// Bytes for values of a type whose constructor must not run.
template <class T, int kCount> struct Storage {
  alignas(T) unsigned char bytes[kCount * sizeof(T)];
  __device__ T *values() { return reinterpret_cast<T *>(bytes); }
};
/// For algorithms that are given no temporary storage.
template <class Storage> __device__ Storage &blockStorage() {
  __shared__ Storage storage;
  return storage;
}
} // namespace detail

} // namespace cub
