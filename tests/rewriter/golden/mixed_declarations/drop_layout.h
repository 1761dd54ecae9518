// Device arrays of Drop: 2 planes in one allocation.
//   plane: size
//   plane: speed
// Host memory keeps Drop as it is; dropMemcpy converts on the way. Include this after the
// definition of Drop.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

static_assert(sizeof(Drop) == 8, "this header was made for another Drop");

/// Takes the place of `Drop *` for arrays in device memory.
class DropView {
public:
  DropView() = default;
  __host__ __device__ DropView(std::nullptr_t) : plane0_(nullptr), plane1_(nullptr) {}

  __host__ __device__ float &size(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float &speed(std::ptrdiff_t i = 0) const { return plane1_[i]; }

  __host__ __device__ Drop load(std::ptrdiff_t i = 0) const {
    Drop value;
    value.size = plane0_[i];
    value.speed = plane1_[i];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Drop &value) const {
    plane0_[i] = value.size;
    plane1_[i] = value.speed;
  }

  __host__ __device__ DropView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    return *this;
  }
  __host__ __device__ DropView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ DropView &operator++() { return *this += 1; }
  __host__ __device__ DropView &operator--() { return *this += -1; }
  __host__ __device__ DropView operator++(int) {
    const DropView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ DropView operator--(int) {
    const DropView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ DropView operator+(DropView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ DropView operator+(std::ptrdiff_t n, DropView view) {
    return view += n;
  }
  friend __host__ __device__ DropView operator-(DropView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const DropView &a, const DropView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const DropView &a, const DropView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const DropView &a, const DropView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const DropView &a, const DropView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const DropView &a, const DropView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const DropView &a, const DropView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const DropView &a, const DropView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return planeBytes(count * sizeof(float)) + count * sizeof(float);
  }
  /// The array of `count` elements in an allocation.
  static DropView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    DropView view;
    view.plane0_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane1_ = reinterpret_cast<float *>(next);
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
    return status;
  }

private:
  friend class ConstDropView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  float *plane0_;
  float *plane1_;
};

/// Takes the place of `const Drop *` for arrays in device memory.
class ConstDropView {
public:
  ConstDropView() = default;
  __host__ __device__ ConstDropView(std::nullptr_t) : plane0_(nullptr), plane1_(nullptr) {}
  __host__ __device__ ConstDropView(const DropView &view)
      : plane0_(view.plane0_), plane1_(view.plane1_) {}

  __host__ __device__ float size(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float speed(std::ptrdiff_t i = 0) const { return plane1_[i]; }

  __host__ __device__ const Drop load(std::ptrdiff_t i = 0) const {
    Drop value;
    value.size = plane0_[i];
    value.speed = plane1_[i];
    return value;
  }

  __host__ __device__ ConstDropView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    return *this;
  }
  __host__ __device__ ConstDropView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstDropView &operator++() { return *this += 1; }
  __host__ __device__ ConstDropView &operator--() { return *this += -1; }
  __host__ __device__ ConstDropView operator++(int) {
    const ConstDropView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstDropView operator--(int) {
    const ConstDropView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstDropView operator+(ConstDropView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstDropView operator+(std::ptrdiff_t n, ConstDropView view) {
    return view += n;
  }
  friend __host__ __device__ ConstDropView operator-(ConstDropView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstDropView &a,
                                                      const ConstDropView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstDropView &a, const ConstDropView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstDropView &a, const ConstDropView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstDropView &a, const ConstDropView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstDropView &a, const ConstDropView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstDropView &a, const ConstDropView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstDropView &a, const ConstDropView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const DropView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane0_, plane0_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane1_, plane1_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    return status;
  }

private:
  const float *plane0_;
  const float *plane1_;
};

static __global__ void dropPack(Drop *to, ConstDropView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Drop value = from.load(i);
    to[i].size = value.size;
    to[i].speed = value.speed;
  }
}

static __global__ void dropUnpack(DropView to, const Drop *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned dropBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Drop) elements.
static inline cudaError_t dropMalloc(DropView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Drop) - 1) / sizeof(Drop);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, DropView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = DropView::over(allocation, count);
  return status;
}

/// cudaFree of what dropMalloc gave.
static inline cudaError_t dropFree(DropView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t dropMemcpy(DropView to, const Drop *from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Drop) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Drop);
  Drop *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    dropUnpack<<<dropBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t dropMemcpy(Drop *to, ConstDropView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Drop) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Drop);
  Drop *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  dropPack<<<dropBlocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t dropMemcpy(DropView to, ConstDropView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Drop) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Drop));
}

/// cudaMemset of `bytes` bytes as Drop counts them.
static inline cudaError_t dropMemset(DropView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Drop) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Drop));
}
