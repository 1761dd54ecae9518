// Device arrays of Sample: 5 planes in one allocation.
//   plane: value
//   plane: gain
//   plane: channel
//   plane: time
//   plane: flags
// Host memory keeps Sample as it is; sampleMemcpy converts on the way. Include this after the
// definition of Sample.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

static_assert(sizeof(Sample) == 32, "this header was made for another Sample");

/// An element's flags.
struct SampleCluster4 {
  unsigned char flags[4];
};

/// Takes the place of `Sample *` for arrays in device memory.
class SampleView {
public:
  SampleView() = default;
  __host__ __device__ SampleView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr), plane3_(nullptr), plane4_(nullptr) {}

  __host__ __device__ float &value(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float &gain(std::ptrdiff_t i = 0) const { return plane1_[i]; }
  __host__ __device__ int &channel(std::ptrdiff_t i = 0) const { return plane2_[i]; }
  __host__ __device__ double &time(std::ptrdiff_t i = 0) const { return plane3_[i]; }
  __host__ __device__ auto &flags(std::ptrdiff_t i = 0) const { return plane4At(i).flags; }

  __host__ __device__ Sample load(std::ptrdiff_t i = 0) const {
    const SampleCluster4 part4 = plane4_[i];
    Sample value;
    value.value = plane0_[i];
    value.gain = plane1_[i];
    value.channel = plane2_[i];
    value.time = plane3_[i];
    for (int a = 0; a < 4; ++a)
      value.flags[a] = part4.flags[a];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Sample &value) const {
    SampleCluster4 part4;
    plane0_[i] = value.value;
    plane1_[i] = value.gain;
    plane2_[i] = value.channel;
    plane3_[i] = value.time;
    for (int a = 0; a < 4; ++a)
      part4.flags[a] = value.flags[a];
    plane4_[i] = part4;
  }

  __host__ __device__ SampleView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    plane3_ += n;
    plane4_ += n;
    return *this;
  }
  __host__ __device__ SampleView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ SampleView &operator++() { return *this += 1; }
  __host__ __device__ SampleView &operator--() { return *this += -1; }
  __host__ __device__ SampleView operator++(int) {
    const SampleView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ SampleView operator--(int) {
    const SampleView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ SampleView operator+(SampleView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ SampleView operator+(std::ptrdiff_t n, SampleView view) {
    return view += n;
  }
  friend __host__ __device__ SampleView operator-(SampleView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const SampleView &a, const SampleView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const SampleView &a, const SampleView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const SampleView &a, const SampleView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const SampleView &a, const SampleView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const SampleView &a, const SampleView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const SampleView &a, const SampleView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const SampleView &a, const SampleView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return planeBytes(count * sizeof(float)) + planeBytes(count * sizeof(float)) +
           planeBytes(count * sizeof(int)) + planeBytes(count * sizeof(double)) +
           count * sizeof(SampleCluster4);
  }
  /// The array of `count` elements in an allocation.
  static SampleView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    SampleView view;
    view.plane0_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane1_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane2_ = reinterpret_cast<int *>(next);
    next += planeBytes(count * sizeof(int));
    view.plane3_ = reinterpret_cast<double *>(next);
    next += planeBytes(count * sizeof(double));
    view.plane4_ = reinterpret_cast<SampleCluster4 *>(next);
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
      status = cudaMemsetAsync(plane2_, value, count * sizeof(int), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane3_, value, count * sizeof(double), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane4_, value, count * sizeof(SampleCluster4), stream);
    return status;
  }

private:
  friend class ConstSampleView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  __host__ __device__ SampleCluster4 &plane4At(std::ptrdiff_t i) const {
    return *static_cast<SampleCluster4 *>(
        __builtin_assume_aligned(plane4_ + i, alignof(SampleCluster4)));
  }
  float *plane0_;
  float *plane1_;
  int *plane2_;
  double *plane3_;
  SampleCluster4 *plane4_;
};

/// Takes the place of `const Sample *` for arrays in device memory.
class ConstSampleView {
public:
  ConstSampleView() = default;
  __host__ __device__ ConstSampleView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr), plane3_(nullptr), plane4_(nullptr) {}
  __host__ __device__ ConstSampleView(const SampleView &view)
      : plane0_(view.plane0_), plane1_(view.plane1_), plane2_(view.plane2_), plane3_(view.plane3_),
        plane4_(view.plane4_) {}

  __host__ __device__ float value(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float gain(std::ptrdiff_t i = 0) const { return plane1_[i]; }
  __host__ __device__ int channel(std::ptrdiff_t i = 0) const { return plane2_[i]; }
  __host__ __device__ double time(std::ptrdiff_t i = 0) const { return plane3_[i]; }
  __host__ __device__ const auto &flags(std::ptrdiff_t i = 0) const { return plane4_[i].flags; }

  __host__ __device__ const Sample load(std::ptrdiff_t i = 0) const {
    const SampleCluster4 part4 = plane4_[i];
    Sample value;
    value.value = plane0_[i];
    value.gain = plane1_[i];
    value.channel = plane2_[i];
    value.time = plane3_[i];
    for (int a = 0; a < 4; ++a)
      value.flags[a] = part4.flags[a];
    return value;
  }

  __host__ __device__ ConstSampleView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    plane3_ += n;
    plane4_ += n;
    return *this;
  }
  __host__ __device__ ConstSampleView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstSampleView &operator++() { return *this += 1; }
  __host__ __device__ ConstSampleView &operator--() { return *this += -1; }
  __host__ __device__ ConstSampleView operator++(int) {
    const ConstSampleView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstSampleView operator--(int) {
    const ConstSampleView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstSampleView operator+(ConstSampleView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstSampleView operator+(std::ptrdiff_t n, ConstSampleView view) {
    return view += n;
  }
  friend __host__ __device__ ConstSampleView operator-(ConstSampleView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstSampleView &a,
                                                      const ConstSampleView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstSampleView &a, const ConstSampleView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstSampleView &a, const ConstSampleView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstSampleView &a, const ConstSampleView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstSampleView &a, const ConstSampleView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstSampleView &a, const ConstSampleView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstSampleView &a, const ConstSampleView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const SampleView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane0_, plane0_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane1_, plane1_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane2_, plane2_, count * sizeof(int), cudaMemcpyDeviceToDevice,
                               stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane3_, plane3_, count * sizeof(double),
                               cudaMemcpyDeviceToDevice, stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane4_, plane4_, count * sizeof(SampleCluster4),
                               cudaMemcpyDeviceToDevice, stream);
    return status;
  }

private:
  const float *plane0_;
  const float *plane1_;
  const int *plane2_;
  const double *plane3_;
  const SampleCluster4 *plane4_;
};

static __global__ void samplePack(Sample *to, ConstSampleView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Sample value = from.load(i);
    to[i].value = value.value;
    to[i].gain = value.gain;
    to[i].channel = value.channel;
    to[i].time = value.time;
    for (int k = 0; k < 4; ++k)
      to[i].flags[k] = value.flags[k];
  }
}

static __global__ void sampleUnpack(SampleView to, const Sample *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned sampleBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Sample) elements.
static inline cudaError_t sampleMalloc(SampleView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Sample) - 1) / sizeof(Sample);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, SampleView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = SampleView::over(allocation, count);
  return status;
}

/// cudaFree of what sampleMalloc gave.
static inline cudaError_t sampleFree(SampleView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t sampleMemcpy(SampleView to, const Sample *from, std::size_t bytes,
                                       cudaMemcpyKind kind) {
  if (bytes % sizeof(Sample) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Sample);
  Sample *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    sampleUnpack<<<sampleBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t sampleMemcpy(Sample *to, ConstSampleView from, std::size_t bytes,
                                       cudaMemcpyKind kind) {
  if (bytes % sizeof(Sample) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Sample);
  Sample *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemset(staging, 0, bytes); // padding
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    samplePack<<<sampleBlocks(count), 256>>>(staging, from, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t sampleMemcpy(SampleView to, ConstSampleView from, std::size_t bytes,
                                       cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Sample) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Sample));
}

/// cudaMemset of `bytes` bytes as Sample counts them.
static inline cudaError_t sampleMemset(SampleView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Sample) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Sample));
}
