// Device arrays of Point: 4 planes in one allocation.
//   plane: x
//   plane: y
//   plane: z
//   plane: weight
// Host memory keeps Point as it is; pointSoaMemcpy converts on the way. Include this after the
// definition of Point.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace geometry {

static_assert(sizeof(Point) == 16, "this header was made for another Point");

/// Takes the place of `Point *` for arrays in device memory.
class PointSoaView {
public:
  PointSoaView() = default;
  __host__ __device__ PointSoaView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr), plane3_(nullptr) {}

  __host__ __device__ float &x(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float &y(std::ptrdiff_t i = 0) const { return plane1_[i]; }
  __host__ __device__ float &z(std::ptrdiff_t i = 0) const { return plane2_[i]; }
  __host__ __device__ float &weight(std::ptrdiff_t i = 0) const { return plane3_[i]; }

  __host__ __device__ Point load(std::ptrdiff_t i = 0) const {
    Point value;
    value.x = plane0_[i];
    value.y = plane1_[i];
    value.z = plane2_[i];
    value.weight = plane3_[i];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Point &value) const {
    plane0_[i] = value.x;
    plane1_[i] = value.y;
    plane2_[i] = value.z;
    plane3_[i] = value.weight;
  }

  __host__ __device__ PointSoaView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    plane3_ += n;
    return *this;
  }
  __host__ __device__ PointSoaView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ PointSoaView &operator++() { return *this += 1; }
  __host__ __device__ PointSoaView &operator--() { return *this += -1; }
  __host__ __device__ PointSoaView operator++(int) {
    const PointSoaView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ PointSoaView operator--(int) {
    const PointSoaView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ PointSoaView operator+(PointSoaView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ PointSoaView operator+(std::ptrdiff_t n, PointSoaView view) {
    return view += n;
  }
  friend __host__ __device__ PointSoaView operator-(PointSoaView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const PointSoaView &a,
                                                      const PointSoaView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const PointSoaView &a, const PointSoaView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const PointSoaView &a, const PointSoaView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const PointSoaView &a, const PointSoaView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const PointSoaView &a, const PointSoaView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const PointSoaView &a, const PointSoaView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const PointSoaView &a, const PointSoaView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return planeBytes(count * sizeof(float)) + planeBytes(count * sizeof(float)) +
           planeBytes(count * sizeof(float)) + count * sizeof(float);
  }
  /// The array of `count` elements in an allocation.
  static PointSoaView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    PointSoaView view;
    view.plane0_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane1_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane2_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane3_ = reinterpret_cast<float *>(next);
    return view;
  }
  /// What `over` was given, when the view stands at the first element.
  void *allocation() const { return plane0_; }
  /// Sets every byte of `count` elements.
  cudaError_t fill(int value, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane0_, value, count * sizeof(float), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane1_, value, count * sizeof(float), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane2_, value, count * sizeof(float), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane3_, value, count * sizeof(float), stream);
    return status;
  }

private:
  friend class ConstPointSoaView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  float *plane0_;
  float *plane1_;
  float *plane2_;
  float *plane3_;
};

/// Takes the place of `const Point *` for arrays in device memory.
class ConstPointSoaView {
public:
  ConstPointSoaView() = default;
  __host__ __device__ ConstPointSoaView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr), plane3_(nullptr) {}
  __host__ __device__ ConstPointSoaView(const PointSoaView &view)
      : plane0_(view.plane0_), plane1_(view.plane1_), plane2_(view.plane2_), plane3_(view.plane3_) {
  }

  __host__ __device__ float x(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float y(std::ptrdiff_t i = 0) const { return plane1_[i]; }
  __host__ __device__ float z(std::ptrdiff_t i = 0) const { return plane2_[i]; }
  __host__ __device__ float weight(std::ptrdiff_t i = 0) const { return plane3_[i]; }

  __host__ __device__ const Point load(std::ptrdiff_t i = 0) const {
    Point value;
    value.x = plane0_[i];
    value.y = plane1_[i];
    value.z = plane2_[i];
    value.weight = plane3_[i];
    return value;
  }

  __host__ __device__ ConstPointSoaView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    plane3_ += n;
    return *this;
  }
  __host__ __device__ ConstPointSoaView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstPointSoaView &operator++() { return *this += 1; }
  __host__ __device__ ConstPointSoaView &operator--() { return *this += -1; }
  __host__ __device__ ConstPointSoaView operator++(int) {
    const ConstPointSoaView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstPointSoaView operator--(int) {
    const ConstPointSoaView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstPointSoaView operator+(ConstPointSoaView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstPointSoaView operator+(std::ptrdiff_t n, ConstPointSoaView view) {
    return view += n;
  }
  friend __host__ __device__ ConstPointSoaView operator-(ConstPointSoaView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstPointSoaView &a,
                                                      const ConstPointSoaView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstPointSoaView &a,
                                             const ConstPointSoaView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstPointSoaView &a,
                                             const ConstPointSoaView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstPointSoaView &a,
                                            const ConstPointSoaView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstPointSoaView &a,
                                            const ConstPointSoaView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstPointSoaView &a,
                                             const ConstPointSoaView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstPointSoaView &a,
                                             const ConstPointSoaView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const PointSoaView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane0_, plane0_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane1_, plane1_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane2_, plane2_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane3_, plane3_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    return status;
  }

private:
  const float *plane0_;
  const float *plane1_;
  const float *plane2_;
  const float *plane3_;
};

static __global__ void pointSoaPack(Point *to, ConstPointSoaView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Point value = from.load(i);
    to[i].x = value.x;
    to[i].y = value.y;
    to[i].z = value.z;
    to[i].weight = value.weight;
  }
}

static __global__ void pointSoaUnpack(PointSoaView to, const Point *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned pointSoaBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Point) elements.
static inline cudaError_t pointSoaMalloc(PointSoaView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Point) - 1) / sizeof(Point);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, PointSoaView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = PointSoaView::over(allocation, count);
  return status;
}

/// cudaFree of what pointSoaMalloc gave.
static inline cudaError_t pointSoaFree(PointSoaView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t pointSoaMemcpy(PointSoaView to, const Point *from, std::size_t bytes,
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
    pointSoaUnpack<<<pointSoaBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t pointSoaMemcpy(Point *to, ConstPointSoaView from, std::size_t bytes,
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
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  pointSoaPack<<<pointSoaBlocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t pointSoaMemcpy(PointSoaView to, ConstPointSoaView from, std::size_t bytes,
                                         cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Point));
}

/// cudaMemset of `bytes` bytes as Point counts them.
static inline cudaError_t pointSoaMemset(PointSoaView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Point) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Point));
}
} // namespace geometry
