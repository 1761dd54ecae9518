// Device arrays of Point: tiles of 16 elements in one allocation.
//   plane: x
//   plane: y
//   plane: z
//   plane: weight
// Host memory keeps Point as it is; pointTiles16Memcpy converts on the way. Include this after the
// definition of Point.
#pragma once

#include <cstddef>
#include <cstring>
#include <cuda_runtime.h>

namespace geometry {

static_assert(sizeof(Point) == 16, "this header was made for another Point");

/// Takes the place of `Point *` for arrays in device memory.
class PointTiles16View {
public:
  PointTiles16View() = default;
  __host__ __device__ PointTiles16View(std::nullptr_t) : base_(nullptr), index_(0) {}

  __host__ __device__ float &x(std::ptrdiff_t i = 0) const { return planeAt<float>(0, i); }
  __host__ __device__ float &y(std::ptrdiff_t i = 0) const { return planeAt<float>(64, i); }
  __host__ __device__ float &z(std::ptrdiff_t i = 0) const { return planeAt<float>(128, i); }
  __host__ __device__ float &weight(std::ptrdiff_t i = 0) const { return planeAt<float>(192, i); }

  __host__ __device__ Point load(std::ptrdiff_t i = 0) const {
    Point value;
    value.x = planeAt<float>(0, i);
    value.y = planeAt<float>(64, i);
    value.z = planeAt<float>(128, i);
    value.weight = planeAt<float>(192, i);
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Point &value) const {
    planeAt<float>(0, i) = value.x;
    planeAt<float>(64, i) = value.y;
    planeAt<float>(128, i) = value.z;
    planeAt<float>(192, i) = value.weight;
  }

  __host__ __device__ PointTiles16View &operator+=(std::ptrdiff_t n) {
    index_ += n;
    return *this;
  }
  __host__ __device__ PointTiles16View &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ PointTiles16View &operator++() { return *this += 1; }
  __host__ __device__ PointTiles16View &operator--() { return *this += -1; }
  __host__ __device__ PointTiles16View operator++(int) {
    const PointTiles16View old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ PointTiles16View operator--(int) {
    const PointTiles16View old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ PointTiles16View operator+(PointTiles16View view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ PointTiles16View operator+(std::ptrdiff_t n, PointTiles16View view) {
    return view += n;
  }
  friend __host__ __device__ PointTiles16View operator-(PointTiles16View view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return base_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const PointTiles16View &a,
                                                      const PointTiles16View &b) {
    return a.index_ - b.index_;
  }
  friend __host__ __device__ bool operator==(const PointTiles16View &a, const PointTiles16View &b) {
    return a.base_ == b.base_ && a.index_ == b.index_;
  }
  friend __host__ __device__ bool operator!=(const PointTiles16View &a, const PointTiles16View &b) {
    return !(a == b);
  }
  friend __host__ __device__ bool operator<(const PointTiles16View &a, const PointTiles16View &b) {
    return a.index_ < b.index_;
  }
  friend __host__ __device__ bool operator>(const PointTiles16View &a, const PointTiles16View &b) {
    return a.index_ > b.index_;
  }
  friend __host__ __device__ bool operator<=(const PointTiles16View &a, const PointTiles16View &b) {
    return a.index_ <= b.index_;
  }
  friend __host__ __device__ bool operator>=(const PointTiles16View &a, const PointTiles16View &b) {
    return a.index_ >= b.index_;
  }

  /// Bytes of an allocation for `count` elements, at least one; the last tile is whole.
  static std::size_t allocationBytes(std::size_t count) {
    return (count - 1) / kTile * kTileBytes + 256;
  }
  /// The array in an allocation.
  static PointTiles16View over(void *allocation, std::size_t) {
    PointTiles16View view;
    view.base_ = static_cast<char *>(allocation);
    view.index_ = 0;
    return view;
  }
  /// What `over` was given.
  void *allocation() const { return base_; }

private:
  friend class ConstPointTiles16View;
  static_assert(sizeof(float) == 4, "the planes were computed from this size");
  static_assert(sizeof(float) == 4, "the planes were computed from this size");
  static_assert(sizeof(float) == 4, "the planes were computed from this size");
  static_assert(sizeof(float) == 4, "the planes were computed from this size");
  static constexpr unsigned kTile = 16;
  static constexpr std::size_t kTileBytes = 256;
  /// Element i of the plane that starts `start` bytes into each tile.
  template <class T> __host__ __device__ T &planeAt(std::size_t start, std::ptrdiff_t i) const {
    const unsigned element = unsigned(index_ + i); // divides faster
    T *plane = reinterpret_cast<T *>(base_ + element / kTile * kTileBytes + start);
    return *static_cast<T *>(__builtin_assume_aligned(plane + element % kTile, alignof(T)));
  }
  char *base_;           // of the array's first tile
  std::ptrdiff_t index_; // of the element the view stands at
};

/// Takes the place of `const Point *` for arrays in device memory.
class ConstPointTiles16View {
public:
  ConstPointTiles16View() = default;
  __host__ __device__ ConstPointTiles16View(std::nullptr_t) : base_(nullptr), index_(0) {}
  __host__ __device__ ConstPointTiles16View(const PointTiles16View &view)
      : base_(view.base_), index_(view.index_) {}

  __host__ __device__ float x(std::ptrdiff_t i = 0) const { return planeAt<float>(0, i); }
  __host__ __device__ float y(std::ptrdiff_t i = 0) const { return planeAt<float>(64, i); }
  __host__ __device__ float z(std::ptrdiff_t i = 0) const { return planeAt<float>(128, i); }
  __host__ __device__ float weight(std::ptrdiff_t i = 0) const { return planeAt<float>(192, i); }

  __host__ __device__ const Point load(std::ptrdiff_t i = 0) const {
    Point value;
    value.x = planeAt<float>(0, i);
    value.y = planeAt<float>(64, i);
    value.z = planeAt<float>(128, i);
    value.weight = planeAt<float>(192, i);
    return value;
  }

  __host__ __device__ ConstPointTiles16View &operator+=(std::ptrdiff_t n) {
    index_ += n;
    return *this;
  }
  __host__ __device__ ConstPointTiles16View &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstPointTiles16View &operator++() { return *this += 1; }
  __host__ __device__ ConstPointTiles16View &operator--() { return *this += -1; }
  __host__ __device__ ConstPointTiles16View operator++(int) {
    const ConstPointTiles16View old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstPointTiles16View operator--(int) {
    const ConstPointTiles16View old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstPointTiles16View operator+(ConstPointTiles16View view,
                                                             std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstPointTiles16View operator+(std::ptrdiff_t n,
                                                             ConstPointTiles16View view) {
    return view += n;
  }
  friend __host__ __device__ ConstPointTiles16View operator-(ConstPointTiles16View view,
                                                             std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return base_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstPointTiles16View &a,
                                                      const ConstPointTiles16View &b) {
    return a.index_ - b.index_;
  }
  friend __host__ __device__ bool operator==(const ConstPointTiles16View &a,
                                             const ConstPointTiles16View &b) {
    return a.base_ == b.base_ && a.index_ == b.index_;
  }
  friend __host__ __device__ bool operator!=(const ConstPointTiles16View &a,
                                             const ConstPointTiles16View &b) {
    return !(a == b);
  }
  friend __host__ __device__ bool operator<(const ConstPointTiles16View &a,
                                            const ConstPointTiles16View &b) {
    return a.index_ < b.index_;
  }
  friend __host__ __device__ bool operator>(const ConstPointTiles16View &a,
                                            const ConstPointTiles16View &b) {
    return a.index_ > b.index_;
  }
  friend __host__ __device__ bool operator<=(const ConstPointTiles16View &a,
                                             const ConstPointTiles16View &b) {
    return a.index_ <= b.index_;
  }
  friend __host__ __device__ bool operator>=(const ConstPointTiles16View &a,
                                             const ConstPointTiles16View &b) {
    return a.index_ >= b.index_;
  }

private:
  static constexpr unsigned kTile = 16;
  static constexpr std::size_t kTileBytes = 256;
  /// Element i of the plane that starts `start` bytes into each tile.
  template <class T>
  __host__ __device__ const T &planeAt(std::size_t start, std::ptrdiff_t i) const {
    const unsigned element = unsigned(index_ + i); // divides faster
    return reinterpret_cast<const T *>(base_ + element / kTile * kTileBytes +
                                       start)[element % kTile];
  }
  const char *base_;     // of the array's first tile
  std::ptrdiff_t index_; // of the element the view stands at
};

static __global__ void pointTiles16Pack(Point *to, ConstPointTiles16View from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Point value = from.load(i);
    to[i].x = value.x;
    to[i].y = value.y;
    to[i].z = value.z;
    to[i].weight = value.weight;
  }
}

static __global__ void pointTiles16Unpack(PointTiles16View to, const Point *from,
                                          std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned pointTiles16Blocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

static __global__ void pointTiles16Fill(PointTiles16View to, int byte, std::size_t count) {
  Point value;
  std::memset(static_cast<void *>(&value), byte, sizeof(value));
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, value);
}

static __global__ void pointTiles16Move(PointTiles16View to, ConstPointTiles16View from,
                                        std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from.load(i));
}

/// cudaMalloc of bytes / sizeof(Point) elements.
static inline cudaError_t pointTiles16Malloc(PointTiles16View *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Point) - 1) / sizeof(Point);
  if (count >> 32 != 0)
    return cudaErrorMemoryAllocation; // elements are numbered in 32 bits
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, PointTiles16View::allocationBytes(count));
  if (status == cudaSuccess)
    *view = PointTiles16View::over(allocation, count);
  return status;
}

/// cudaFree of what pointTiles16Malloc gave.
static inline cudaError_t pointTiles16Free(PointTiles16View view) {
  return cudaFree(view.allocation());
}

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t pointTiles16Memcpy(PointTiles16View to, const Point *from,
                                             std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Point);
  Point *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    pointTiles16Unpack<<<pointTiles16Blocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t pointTiles16Memcpy(Point *to, ConstPointTiles16View from,
                                             std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Point);
  Point *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  pointTiles16Pack<<<pointTiles16Blocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t pointTiles16Memcpy(PointTiles16View to, ConstPointTiles16View from,
                                             std::size_t bytes, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Point);
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  pointTiles16Move<<<pointTiles16Blocks(count), 256>>>(to, from, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}

/// cudaMemset of `bytes` bytes as Point counts them.
static inline cudaError_t pointTiles16Memset(PointTiles16View view, int value, std::size_t bytes) {
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Point);
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  pointTiles16Fill<<<pointTiles16Blocks(count), 256>>>(view, value, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}
} // namespace geometry
