// Device arrays of Wave: 3 planes in one allocation.
//   plane: height
//   plane: speed
//   plane: kind
// Host memory keeps Wave as it is; waveMemcpy converts on the way. Include this after the
// definition of Wave.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

static_assert(sizeof(Wave) == 12, "this header was made for another Wave");

/// Takes the place of `Wave *` for arrays in device memory.
class WaveView {
public:
  WaveView() = default;
  __host__ __device__ WaveView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr) {}

  __host__ __device__ float &height(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float &speed(std::ptrdiff_t i = 0) const { return plane1_[i]; }
  __host__ __device__ short &kind(std::ptrdiff_t i = 0) const { return plane2_[i]; }

  __host__ __device__ Wave load(std::ptrdiff_t i = 0) const {
    Wave value;
    value.height = plane0_[i];
    value.speed = plane1_[i];
    value.kind = plane2_[i];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Wave &value) const {
    plane0_[i] = value.height;
    plane1_[i] = value.speed;
    plane2_[i] = value.kind;
  }

  __host__ __device__ WaveView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    return *this;
  }
  __host__ __device__ WaveView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ WaveView &operator++() { return *this += 1; }
  __host__ __device__ WaveView &operator--() { return *this += -1; }
  __host__ __device__ WaveView operator++(int) {
    const WaveView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ WaveView operator--(int) {
    const WaveView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ WaveView operator+(WaveView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ WaveView operator+(std::ptrdiff_t n, WaveView view) {
    return view += n;
  }
  friend __host__ __device__ WaveView operator-(WaveView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const WaveView &a, const WaveView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const WaveView &a, const WaveView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const WaveView &a, const WaveView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const WaveView &a, const WaveView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const WaveView &a, const WaveView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const WaveView &a, const WaveView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const WaveView &a, const WaveView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return planeBytes(count * sizeof(float)) + planeBytes(count * sizeof(float)) +
           count * sizeof(short);
  }
  /// The array of `count` elements in an allocation.
  static WaveView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    WaveView view;
    view.plane0_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane1_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane2_ = reinterpret_cast<short *>(next);
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
      status = cudaMemsetAsync(plane2_, value, count * sizeof(short), stream);
    return status;
  }

private:
  friend class ConstWaveView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  float *plane0_;
  float *plane1_;
  short *plane2_;
};

/// Takes the place of `const Wave *` for arrays in device memory.
class ConstWaveView {
public:
  ConstWaveView() = default;
  __host__ __device__ ConstWaveView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr) {}
  __host__ __device__ ConstWaveView(const WaveView &view)
      : plane0_(view.plane0_), plane1_(view.plane1_), plane2_(view.plane2_) {}

  __host__ __device__ float height(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float speed(std::ptrdiff_t i = 0) const { return plane1_[i]; }
  __host__ __device__ short kind(std::ptrdiff_t i = 0) const { return plane2_[i]; }

  __host__ __device__ const Wave load(std::ptrdiff_t i = 0) const {
    Wave value;
    value.height = plane0_[i];
    value.speed = plane1_[i];
    value.kind = plane2_[i];
    return value;
  }

  __host__ __device__ ConstWaveView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    return *this;
  }
  __host__ __device__ ConstWaveView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstWaveView &operator++() { return *this += 1; }
  __host__ __device__ ConstWaveView &operator--() { return *this += -1; }
  __host__ __device__ ConstWaveView operator++(int) {
    const ConstWaveView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstWaveView operator--(int) {
    const ConstWaveView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstWaveView operator+(ConstWaveView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstWaveView operator+(std::ptrdiff_t n, ConstWaveView view) {
    return view += n;
  }
  friend __host__ __device__ ConstWaveView operator-(ConstWaveView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstWaveView &a,
                                                      const ConstWaveView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstWaveView &a, const ConstWaveView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstWaveView &a, const ConstWaveView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstWaveView &a, const ConstWaveView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstWaveView &a, const ConstWaveView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstWaveView &a, const ConstWaveView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstWaveView &a, const ConstWaveView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const WaveView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane0_, plane0_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane1_, plane1_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane2_, plane2_, count * sizeof(short), cudaMemcpyDeviceToDevice,
                               stream);
    return status;
  }

private:
  const float *plane0_;
  const float *plane1_;
  const short *plane2_;
};

static __global__ void wavePack(Wave *to, ConstWaveView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Wave value = from.load(i);
    to[i].height = value.height;
    to[i].speed = value.speed;
    to[i].kind = value.kind;
  }
}

static __global__ void waveUnpack(WaveView to, const Wave *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned waveBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Wave) elements.
static inline cudaError_t waveMalloc(WaveView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Wave) - 1) / sizeof(Wave);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, WaveView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = WaveView::over(allocation, count);
  return status;
}

/// cudaFree of what waveMalloc gave.
static inline cudaError_t waveFree(WaveView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t waveMemcpy(WaveView to, const Wave *from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Wave) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Wave);
  Wave *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    waveUnpack<<<waveBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t waveMemcpy(Wave *to, ConstWaveView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Wave) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Wave);
  Wave *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemset(staging, 0, bytes); // padding
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    wavePack<<<waveBlocks(count), 256>>>(staging, from, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t waveMemcpy(WaveView to, ConstWaveView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Wave) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Wave));
}

/// cudaMemset of `bytes` bytes as Wave counts them.
static inline cudaError_t waveMemset(WaveView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Wave) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Wave));
}

/// cudaMallocAsync of bytes / sizeof(Wave) elements.
static inline cudaError_t waveMallocAsync(WaveView *view, std::size_t bytes, cudaStream_t stream) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Wave) - 1) / sizeof(Wave);
  void *allocation = nullptr;
  const cudaError_t status = cudaMallocAsync(&allocation, WaveView::allocationBytes(count), stream);
  if (status == cudaSuccess)
    *view = WaveView::over(allocation, count);
  return status;
}

/// cudaFreeAsync of what waveMallocAsync gave.
static inline cudaError_t waveFreeAsync(WaveView view, cudaStream_t stream) {
  return cudaFreeAsync(view.allocation(), stream);
}

/// cudaMemcpyAsync from records as they are; all its steps are of the stream.
static inline cudaError_t waveMemcpyAsync(WaveView to, const Wave *from, std::size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t stream = 0) {
  if (bytes % sizeof(Wave) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Wave);
  Wave *staging = nullptr;
  cudaError_t status = cudaMallocAsync(reinterpret_cast<void **>(&staging), bytes, stream);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpyAsync(staging, from, bytes, kind, stream);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    waveUnpack<<<waveBlocks(count), 256, 0, stream>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFreeAsync(staging, stream);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpyAsync to records as they are; all its steps are of the stream.
static inline cudaError_t waveMemcpyAsync(Wave *to, ConstWaveView from, std::size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t stream = 0) {
  if (bytes % sizeof(Wave) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Wave);
  Wave *staging = nullptr;
  cudaError_t status = cudaMallocAsync(reinterpret_cast<void **>(&staging), bytes, stream);
  if (status != cudaSuccess)
    return status;
  status = cudaMemsetAsync(staging, 0, bytes, stream); // padding
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    wavePack<<<waveBlocks(count), 256, 0, stream>>>(staging, from, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  if (status == cudaSuccess)
    status = cudaMemcpyAsync(to, staging, bytes, kind, stream);
  const cudaError_t freed = cudaFreeAsync(staging, stream);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpyAsync within the device.
static inline cudaError_t waveMemcpyAsync(WaveView to, ConstWaveView from, std::size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t stream = 0) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Wave) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Wave), stream);
}

/// cudaMemsetAsync of `bytes` bytes as Wave counts them.
static inline cudaError_t waveMemsetAsync(WaveView view, int value, std::size_t bytes,
                                          cudaStream_t stream = 0) {
  if (bytes % sizeof(Wave) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Wave), stream);
}
