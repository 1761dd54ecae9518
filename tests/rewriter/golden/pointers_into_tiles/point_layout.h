// Device arrays of Point: tiles of 8 elements, 16 bytes of padding behind each plane in one
// allocation.
//   plane: x, y
//   plane: id
//   plane: flags
// Host memory keeps Point as it is; pointMemcpy converts on the way. Include this after the
// definition of Point.
#pragma once

#include <cstddef>
#include <cstring>
#include <cuda_runtime.h>

static_assert(sizeof(Point) == 24, "this header was made for another Point");

/// An element's x, y.
struct alignas(8) PointCluster0 {
  float x;
  float y;
};

/// An element's flags.
struct PointCluster2 {
  unsigned char flags[3];
};

/// Takes the place of `Point *` for arrays in device memory.
class PointView {
public:
  PointView() = default;
  __host__ __device__ PointView(std::nullptr_t) : base_(nullptr), index_(0) {}

  __host__ __device__ float &x(std::ptrdiff_t i = 0) const {
    return planeAt<PointCluster0>(0, i).x;
  }
  __host__ __device__ float &y(std::ptrdiff_t i = 0) const {
    return planeAt<PointCluster0>(0, i).y;
  }
  __host__ __device__ long long &id(std::ptrdiff_t i = 0) const {
    return planeAt<long long>(80, i);
  }
  __host__ __device__ auto &flags(std::ptrdiff_t i = 0) const {
    return planeAt<PointCluster2>(160, i).flags;
  }

  __host__ __device__ Point load(std::ptrdiff_t i = 0) const {
    const PointCluster0 part0 = planeAt<PointCluster0>(0, i);
    const PointCluster2 part2 = planeAt<PointCluster2>(160, i);
    Point value;
    value.x = part0.x;
    value.y = part0.y;
    value.id = planeAt<long long>(80, i);
    for (int a = 0; a < 3; ++a)
      value.flags[a] = part2.flags[a];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Point &value) const {
    PointCluster0 part0;
    PointCluster2 part2;
    part0.x = value.x;
    part0.y = value.y;
    planeAt<long long>(80, i) = value.id;
    for (int a = 0; a < 3; ++a)
      part2.flags[a] = value.flags[a];
    planeAt<PointCluster0>(0, i) = part0;
    planeAt<PointCluster2>(160, i) = part2;
  }

  __host__ __device__ PointView &operator+=(std::ptrdiff_t n) {
    index_ += n;
    return *this;
  }
  __host__ __device__ PointView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ PointView &operator++() { return *this += 1; }
  __host__ __device__ PointView &operator--() { return *this += -1; }
  __host__ __device__ PointView operator++(int) {
    const PointView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ PointView operator--(int) {
    const PointView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ PointView operator+(PointView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ PointView operator+(std::ptrdiff_t n, PointView view) {
    return view += n;
  }
  friend __host__ __device__ PointView operator-(PointView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return base_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const PointView &a, const PointView &b) {
    return a.index_ - b.index_;
  }
  friend __host__ __device__ bool operator==(const PointView &a, const PointView &b) {
    return a.base_ == b.base_ && a.index_ == b.index_;
  }
  friend __host__ __device__ bool operator!=(const PointView &a, const PointView &b) {
    return !(a == b);
  }
  friend __host__ __device__ bool operator<(const PointView &a, const PointView &b) {
    return a.index_ < b.index_;
  }
  friend __host__ __device__ bool operator>(const PointView &a, const PointView &b) {
    return a.index_ > b.index_;
  }
  friend __host__ __device__ bool operator<=(const PointView &a, const PointView &b) {
    return a.index_ <= b.index_;
  }
  friend __host__ __device__ bool operator>=(const PointView &a, const PointView &b) {
    return a.index_ >= b.index_;
  }

  /// Bytes of an allocation for `count` elements, at least one; the last tile is whole.
  static std::size_t allocationBytes(std::size_t count) {
    return (count - 1) / kTile * kTileBytes + 184;
  }
  /// The array in an allocation.
  static PointView over(void *allocation, std::size_t) {
    PointView view;
    view.base_ = static_cast<char *>(allocation);
    view.index_ = 0;
    return view;
  }
  /// What `over` was given.
  void *allocation() const { return base_; }

private:
  friend class ConstPointView;
  static_assert(sizeof(PointCluster0) == 8, "the planes were computed from this size");
  static_assert(sizeof(long long) == 8, "the planes were computed from this size");
  static_assert(sizeof(PointCluster2) == 3, "the planes were computed from this size");
  static constexpr unsigned kTile = 8;
  static constexpr std::size_t kTileBytes = 200;
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
class ConstPointView {
public:
  ConstPointView() = default;
  __host__ __device__ ConstPointView(std::nullptr_t) : base_(nullptr), index_(0) {}
  __host__ __device__ ConstPointView(const PointView &view)
      : base_(view.base_), index_(view.index_) {}

  __host__ __device__ float x(std::ptrdiff_t i = 0) const { return planeAt<PointCluster0>(0, i).x; }
  __host__ __device__ float y(std::ptrdiff_t i = 0) const { return planeAt<PointCluster0>(0, i).y; }
  __host__ __device__ long long id(std::ptrdiff_t i = 0) const { return planeAt<long long>(80, i); }
  __host__ __device__ const auto &flags(std::ptrdiff_t i = 0) const {
    return planeAt<PointCluster2>(160, i).flags;
  }

  __host__ __device__ const Point load(std::ptrdiff_t i = 0) const {
    const PointCluster0 part0 = planeAt<PointCluster0>(0, i);
    const PointCluster2 part2 = planeAt<PointCluster2>(160, i);
    Point value;
    value.x = part0.x;
    value.y = part0.y;
    value.id = planeAt<long long>(80, i);
    for (int a = 0; a < 3; ++a)
      value.flags[a] = part2.flags[a];
    return value;
  }

  __host__ __device__ ConstPointView &operator+=(std::ptrdiff_t n) {
    index_ += n;
    return *this;
  }
  __host__ __device__ ConstPointView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstPointView &operator++() { return *this += 1; }
  __host__ __device__ ConstPointView &operator--() { return *this += -1; }
  __host__ __device__ ConstPointView operator++(int) {
    const ConstPointView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstPointView operator--(int) {
    const ConstPointView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstPointView operator+(ConstPointView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstPointView operator+(std::ptrdiff_t n, ConstPointView view) {
    return view += n;
  }
  friend __host__ __device__ ConstPointView operator-(ConstPointView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return base_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstPointView &a,
                                                      const ConstPointView &b) {
    return a.index_ - b.index_;
  }
  friend __host__ __device__ bool operator==(const ConstPointView &a, const ConstPointView &b) {
    return a.base_ == b.base_ && a.index_ == b.index_;
  }
  friend __host__ __device__ bool operator!=(const ConstPointView &a, const ConstPointView &b) {
    return !(a == b);
  }
  friend __host__ __device__ bool operator<(const ConstPointView &a, const ConstPointView &b) {
    return a.index_ < b.index_;
  }
  friend __host__ __device__ bool operator>(const ConstPointView &a, const ConstPointView &b) {
    return a.index_ > b.index_;
  }
  friend __host__ __device__ bool operator<=(const ConstPointView &a, const ConstPointView &b) {
    return a.index_ <= b.index_;
  }
  friend __host__ __device__ bool operator>=(const ConstPointView &a, const ConstPointView &b) {
    return a.index_ >= b.index_;
  }

private:
  static constexpr unsigned kTile = 8;
  static constexpr std::size_t kTileBytes = 200;
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

static __global__ void pointPack(Point *to, ConstPointView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Point value = from.load(i);
    to[i].x = value.x;
    to[i].y = value.y;
    to[i].id = value.id;
    for (int k = 0; k < 3; ++k)
      to[i].flags[k] = value.flags[k];
  }
}

static __global__ void pointUnpack(PointView to, const Point *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned pointBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

static __global__ void pointFill(PointView to, int byte, std::size_t count) {
  Point value;
  std::memset(static_cast<void *>(&value), byte, sizeof(value));
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, value);
}

static __global__ void pointMove(PointView to, ConstPointView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from.load(i));
}

/// cudaMalloc of bytes / sizeof(Point) elements.
static inline cudaError_t pointMalloc(PointView *view, std::size_t bytes) {
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
  const cudaError_t status = cudaMalloc(&allocation, PointView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = PointView::over(allocation, count);
  return status;
}

/// cudaFree of what pointMalloc gave.
static inline cudaError_t pointFree(PointView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t pointMemcpy(PointView to, const Point *from, std::size_t bytes,
                                      cudaMemcpyKind kind) {
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
    pointUnpack<<<pointBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t pointMemcpy(Point *to, ConstPointView from, std::size_t bytes,
                                      cudaMemcpyKind kind) {
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Point);
  Point *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemset(staging, 0, bytes); // padding
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    pointPack<<<pointBlocks(count), 256>>>(staging, from, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t pointMemcpy(PointView to, ConstPointView from, std::size_t bytes,
                                      cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Point);
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  pointMove<<<pointBlocks(count), 256>>>(to, from, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}

/// cudaMemset of `bytes` bytes as Point counts them.
static inline cudaError_t pointMemset(PointView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Point);
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  pointFill<<<pointBlocks(count), 256>>>(view, value, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}
