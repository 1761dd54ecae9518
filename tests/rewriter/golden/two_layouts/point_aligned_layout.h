// Device arrays of Point: one plane in one allocation.
//   plane: x, y, z, weight
// Host memory keeps Point as it is; pointAlignedMemcpy converts on the way. Include this after the
// definition of Point.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace geometry {

static_assert(sizeof(Point) == 16, "this header was made for another Point");

/// An element's x, y, z, weight.
struct alignas(16) PointAlignedCluster0 {
  float x;
  float y;
  float z;
  float weight;
};

/// Takes the place of `Point *` for arrays in device memory.
class PointAlignedView {
public:
  PointAlignedView() = default;
  __host__ __device__ PointAlignedView(std::nullptr_t) : plane0_(nullptr) {}

  __host__ __device__ float &x(std::ptrdiff_t i = 0) const { return plane0At(i).x; }
  __host__ __device__ float &y(std::ptrdiff_t i = 0) const { return plane0At(i).y; }
  __host__ __device__ float &z(std::ptrdiff_t i = 0) const { return plane0At(i).z; }
  __host__ __device__ float &weight(std::ptrdiff_t i = 0) const { return plane0At(i).weight; }

  __host__ __device__ Point load(std::ptrdiff_t i = 0) const {
    const PointAlignedCluster0 part0 = plane0_[i];
    Point value;
    value.x = part0.x;
    value.y = part0.y;
    value.z = part0.z;
    value.weight = part0.weight;
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Point &value) const {
    PointAlignedCluster0 part0;
    part0.x = value.x;
    part0.y = value.y;
    part0.z = value.z;
    part0.weight = value.weight;
    plane0_[i] = part0;
  }

  __host__ __device__ PointAlignedView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    return *this;
  }
  __host__ __device__ PointAlignedView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ PointAlignedView &operator++() { return *this += 1; }
  __host__ __device__ PointAlignedView &operator--() { return *this += -1; }
  __host__ __device__ PointAlignedView operator++(int) {
    const PointAlignedView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ PointAlignedView operator--(int) {
    const PointAlignedView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ PointAlignedView operator+(PointAlignedView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ PointAlignedView operator+(std::ptrdiff_t n, PointAlignedView view) {
    return view += n;
  }
  friend __host__ __device__ PointAlignedView operator-(PointAlignedView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const PointAlignedView &a,
                                                      const PointAlignedView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const PointAlignedView &a, const PointAlignedView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const PointAlignedView &a, const PointAlignedView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const PointAlignedView &a, const PointAlignedView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const PointAlignedView &a, const PointAlignedView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const PointAlignedView &a, const PointAlignedView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const PointAlignedView &a, const PointAlignedView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return count * sizeof(PointAlignedCluster0);
  }
  /// The array of `count` elements in an allocation.
  static PointAlignedView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    PointAlignedView view;
    view.plane0_ = reinterpret_cast<PointAlignedCluster0 *>(next);
    return view;
  }
  /// What `over` was given, when the view stands at the first element.
  void *allocation() const { return plane0_; }
  /// Sets every byte of `count` elements.
  cudaError_t fill(int value, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane0_, value, count * sizeof(PointAlignedCluster0), stream);
    return status;
  }

private:
  friend class ConstPointAlignedView;
  __host__ __device__ PointAlignedCluster0 &plane0At(std::ptrdiff_t i) const {
    return *static_cast<PointAlignedCluster0 *>(
        __builtin_assume_aligned(plane0_ + i, alignof(PointAlignedCluster0)));
  }
  PointAlignedCluster0 *plane0_;
};

/// Takes the place of `const Point *` for arrays in device memory.
class ConstPointAlignedView {
public:
  ConstPointAlignedView() = default;
  __host__ __device__ ConstPointAlignedView(std::nullptr_t) : plane0_(nullptr) {}
  __host__ __device__ ConstPointAlignedView(const PointAlignedView &view) : plane0_(view.plane0_) {}

  __host__ __device__ float x(std::ptrdiff_t i = 0) const { return plane0_[i].x; }
  __host__ __device__ float y(std::ptrdiff_t i = 0) const { return plane0_[i].y; }
  __host__ __device__ float z(std::ptrdiff_t i = 0) const { return plane0_[i].z; }
  __host__ __device__ float weight(std::ptrdiff_t i = 0) const { return plane0_[i].weight; }

  __host__ __device__ const Point load(std::ptrdiff_t i = 0) const {
    const PointAlignedCluster0 part0 = plane0_[i];
    Point value;
    value.x = part0.x;
    value.y = part0.y;
    value.z = part0.z;
    value.weight = part0.weight;
    return value;
  }

  __host__ __device__ ConstPointAlignedView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    return *this;
  }
  __host__ __device__ ConstPointAlignedView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstPointAlignedView &operator++() { return *this += 1; }
  __host__ __device__ ConstPointAlignedView &operator--() { return *this += -1; }
  __host__ __device__ ConstPointAlignedView operator++(int) {
    const ConstPointAlignedView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstPointAlignedView operator--(int) {
    const ConstPointAlignedView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstPointAlignedView operator+(ConstPointAlignedView view,
                                                             std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstPointAlignedView operator+(std::ptrdiff_t n,
                                                             ConstPointAlignedView view) {
    return view += n;
  }
  friend __host__ __device__ ConstPointAlignedView operator-(ConstPointAlignedView view,
                                                             std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstPointAlignedView &a,
                                                      const ConstPointAlignedView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstPointAlignedView &a,
                                             const ConstPointAlignedView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstPointAlignedView &a,
                                             const ConstPointAlignedView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstPointAlignedView &a,
                                            const ConstPointAlignedView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstPointAlignedView &a,
                                            const ConstPointAlignedView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstPointAlignedView &a,
                                             const ConstPointAlignedView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstPointAlignedView &a,
                                             const ConstPointAlignedView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const PointAlignedView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane0_, plane0_, count * sizeof(PointAlignedCluster0),
                               cudaMemcpyDeviceToDevice, stream);
    return status;
  }

private:
  const PointAlignedCluster0 *plane0_;
};

static __global__ void pointAlignedPack(Point *to, ConstPointAlignedView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Point value = from.load(i);
    to[i].x = value.x;
    to[i].y = value.y;
    to[i].z = value.z;
    to[i].weight = value.weight;
  }
}

static __global__ void pointAlignedUnpack(PointAlignedView to, const Point *from,
                                          std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned pointAlignedBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Point) elements.
static inline cudaError_t pointAlignedMalloc(PointAlignedView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Point) - 1) / sizeof(Point);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, PointAlignedView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = PointAlignedView::over(allocation, count);
  return status;
}

/// cudaFree of what pointAlignedMalloc gave.
static inline cudaError_t pointAlignedFree(PointAlignedView view) {
  return cudaFree(view.allocation());
}

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t pointAlignedMemcpy(PointAlignedView to, const Point *from,
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
    pointAlignedUnpack<<<pointAlignedBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t pointAlignedMemcpy(Point *to, ConstPointAlignedView from,
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
  pointAlignedPack<<<pointAlignedBlocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t pointAlignedMemcpy(PointAlignedView to, ConstPointAlignedView from,
                                             std::size_t bytes, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Point));
}

/// cudaMemset of `bytes` bytes as Point counts them.
static inline cudaError_t pointAlignedMemset(PointAlignedView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Point));
}

template <class Other>
static __global__ void pointAlignedTransfer(PointAlignedView to, Other from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from.load(i));
}

/// cudaMemcpy within the device, from an array in another layout.
template <class Other>
static inline cudaError_t pointAlignedConvert(PointAlignedView to, Other from, std::size_t bytes,
                                              cudaMemcpyKind kind) {
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Point);
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  pointAlignedTransfer<<<pointAlignedBlocks(count), 256>>>(to, from, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}
} // namespace geometry
