// Device arrays of Body: 3 planes in one allocation.
//   plane: pos, mass
//   plane: v, next
//   plane: hits
// Host memory keeps Body as it is; bodyMemcpy converts on the way. Include this after the
// definition of Body.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace sim {
namespace {

static_assert(sizeof(Body) == 36, "this header was made for another Body");

/// An element's pos, mass.
struct alignas(16) BodyCluster0 {
  float pos[3];
  float mass;
};

/// An element's v, next.
struct alignas(16) BodyCluster1 {
  sim::Velocity v;
  int next;
};

/// Takes the place of `Body *` for arrays in device memory.
class BodyView {
public:
  BodyView() = default;
  __host__ __device__ BodyView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr) {}

  __host__ __device__ auto &pos(std::ptrdiff_t i = 0) const { return plane0At(i).pos; }
  __host__ __device__ float &mass(std::ptrdiff_t i = 0) const { return plane0At(i).mass; }
  __host__ __device__ sim::Velocity &v(std::ptrdiff_t i = 0) const { return plane1At(i).v; }
  __host__ __device__ int &next(std::ptrdiff_t i = 0) const { return plane1At(i).next; }
  __host__ __device__ int &hits(std::ptrdiff_t i = 0) const { return plane2_[i]; }

  __host__ __device__ Body load(std::ptrdiff_t i = 0) const {
    const BodyCluster0 part0 = plane0_[i];
    const BodyCluster1 part1 = plane1_[i];
    Body value;
    for (int a = 0; a < 3; ++a)
      value.pos[a] = part0.pos[a];
    value.mass = part0.mass;
    value.v = part1.v;
    value.next = part1.next;
    value.hits = plane2_[i];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Body &value) const {
    BodyCluster0 part0;
    BodyCluster1 part1;
    for (int a = 0; a < 3; ++a)
      part0.pos[a] = value.pos[a];
    part0.mass = value.mass;
    part1.v = value.v;
    part1.next = value.next;
    plane2_[i] = value.hits;
    plane0_[i] = part0;
    plane1_[i] = part1;
  }

  __host__ __device__ BodyView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    return *this;
  }
  __host__ __device__ BodyView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ BodyView &operator++() { return *this += 1; }
  __host__ __device__ BodyView &operator--() { return *this += -1; }
  __host__ __device__ BodyView operator++(int) {
    const BodyView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ BodyView operator--(int) {
    const BodyView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ BodyView operator+(BodyView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ BodyView operator+(std::ptrdiff_t n, BodyView view) {
    return view += n;
  }
  friend __host__ __device__ BodyView operator-(BodyView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const BodyView &a, const BodyView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const BodyView &a, const BodyView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const BodyView &a, const BodyView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const BodyView &a, const BodyView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const BodyView &a, const BodyView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const BodyView &a, const BodyView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const BodyView &a, const BodyView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return planeBytes(count * sizeof(BodyCluster0)) + planeBytes(count * sizeof(BodyCluster1)) +
           count * sizeof(int);
  }
  /// The array of `count` elements in an allocation.
  static BodyView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    BodyView view;
    view.plane0_ = reinterpret_cast<BodyCluster0 *>(next);
    next += planeBytes(count * sizeof(BodyCluster0));
    view.plane1_ = reinterpret_cast<BodyCluster1 *>(next);
    next += planeBytes(count * sizeof(BodyCluster1));
    view.plane2_ = reinterpret_cast<int *>(next);
    return view;
  }
  /// What `over` was given, when the view stands at the first element.
  void *allocation() const { return plane0_; }
  /// Sets every byte of `count` elements.
  cudaError_t fill(int value, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane0_, value, count * sizeof(BodyCluster0), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane1_, value, count * sizeof(BodyCluster1), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane2_, value, count * sizeof(int), stream);
    return status;
  }

private:
  friend class ConstBodyView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  __host__ __device__ BodyCluster0 &plane0At(std::ptrdiff_t i) const {
    return *static_cast<BodyCluster0 *>(
        __builtin_assume_aligned(plane0_ + i, alignof(BodyCluster0)));
  }
  __host__ __device__ BodyCluster1 &plane1At(std::ptrdiff_t i) const {
    return *static_cast<BodyCluster1 *>(
        __builtin_assume_aligned(plane1_ + i, alignof(BodyCluster1)));
  }
  BodyCluster0 *plane0_;
  BodyCluster1 *plane1_;
  int *plane2_;
};

/// Takes the place of `const Body *` for arrays in device memory.
class ConstBodyView {
public:
  ConstBodyView() = default;
  __host__ __device__ ConstBodyView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr) {}
  __host__ __device__ ConstBodyView(const BodyView &view)
      : plane0_(view.plane0_), plane1_(view.plane1_), plane2_(view.plane2_) {}

  __host__ __device__ const auto &pos(std::ptrdiff_t i = 0) const { return plane0_[i].pos; }
  __host__ __device__ float mass(std::ptrdiff_t i = 0) const { return plane0_[i].mass; }
  __host__ __device__ sim::Velocity v(std::ptrdiff_t i = 0) const { return plane1_[i].v; }
  __host__ __device__ int next(std::ptrdiff_t i = 0) const { return plane1_[i].next; }
  __host__ __device__ int hits(std::ptrdiff_t i = 0) const { return plane2_[i]; }

  __host__ __device__ const Body load(std::ptrdiff_t i = 0) const {
    const BodyCluster0 part0 = plane0_[i];
    const BodyCluster1 part1 = plane1_[i];
    Body value;
    for (int a = 0; a < 3; ++a)
      value.pos[a] = part0.pos[a];
    value.mass = part0.mass;
    value.v = part1.v;
    value.next = part1.next;
    value.hits = plane2_[i];
    return value;
  }

  __host__ __device__ ConstBodyView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    return *this;
  }
  __host__ __device__ ConstBodyView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstBodyView &operator++() { return *this += 1; }
  __host__ __device__ ConstBodyView &operator--() { return *this += -1; }
  __host__ __device__ ConstBodyView operator++(int) {
    const ConstBodyView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstBodyView operator--(int) {
    const ConstBodyView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstBodyView operator+(ConstBodyView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstBodyView operator+(std::ptrdiff_t n, ConstBodyView view) {
    return view += n;
  }
  friend __host__ __device__ ConstBodyView operator-(ConstBodyView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstBodyView &a,
                                                      const ConstBodyView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstBodyView &a, const ConstBodyView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstBodyView &a, const ConstBodyView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstBodyView &a, const ConstBodyView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstBodyView &a, const ConstBodyView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstBodyView &a, const ConstBodyView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstBodyView &a, const ConstBodyView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const BodyView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane0_, plane0_, count * sizeof(BodyCluster0),
                               cudaMemcpyDeviceToDevice, stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane1_, plane1_, count * sizeof(BodyCluster1),
                               cudaMemcpyDeviceToDevice, stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane2_, plane2_, count * sizeof(int), cudaMemcpyDeviceToDevice,
                               stream);
    return status;
  }

private:
  const BodyCluster0 *plane0_;
  const BodyCluster1 *plane1_;
  const int *plane2_;
};

static __global__ void bodyPack(Body *to, ConstBodyView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Body value = from.load(i);
    for (int k = 0; k < 3; ++k)
      to[i].pos[k] = value.pos[k];
    to[i].mass = value.mass;
    to[i].v = value.v;
    to[i].next = value.next;
    to[i].hits = value.hits;
  }
}

static __global__ void bodyUnpack(BodyView to, const Body *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned bodyBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Body) elements.
static inline cudaError_t bodyMalloc(BodyView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Body) - 1) / sizeof(Body);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, BodyView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = BodyView::over(allocation, count);
  return status;
}

/// cudaFree of what bodyMalloc gave.
static inline cudaError_t bodyFree(BodyView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t bodyMemcpy(BodyView to, const Body *from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Body) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Body);
  Body *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    bodyUnpack<<<bodyBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t bodyMemcpy(Body *to, ConstBodyView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Body) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Body);
  Body *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  bodyPack<<<bodyBlocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t bodyMemcpy(BodyView to, ConstBodyView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Body) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Body));
}

/// cudaMemset of `bytes` bytes as Body counts them.
static inline cudaError_t bodyMemset(BodyView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Body) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Body));
}
} // namespace
} // namespace sim
