// Device arrays of Particle: 4 planes in one allocation.
//   plane: x
//   plane: y
//   plane: kind
//   plane: weight
// Host memory keeps Particle as it is; particleMemcpy converts on the way. Include this after the
// definition of Particle.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

static_assert(sizeof(Particle) == 16, "this header was made for another Particle");

/// Room for a record that is filled in field by field.
union ParticleStorage {
  char none;
  Particle value;
  __host__ __device__ ParticleStorage() : none(0) {}
};

/// Takes the place of `Particle *` for arrays in device memory.
class ParticleView {
public:
  ParticleView() = default;
  __host__ __device__ ParticleView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr), plane3_(nullptr) {}

  __host__ __device__ float &x(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float &y(std::ptrdiff_t i = 0) const { return plane1_[i]; }
  __host__ __device__ int &kind(std::ptrdiff_t i = 0) const { return plane2_[i]; }
  __host__ __device__ float &weight(std::ptrdiff_t i = 0) const { return plane3_[i]; }

  __host__ __device__ Particle load(std::ptrdiff_t i = 0) const {
    ParticleStorage storage;
    Particle &value = storage.value;
    value.x = plane0_[i];
    value.y = plane1_[i];
    value.kind = plane2_[i];
    value.weight = plane3_[i];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Particle &value) const {
    plane0_[i] = value.x;
    plane1_[i] = value.y;
    plane2_[i] = value.kind;
    plane3_[i] = value.weight;
  }

  __host__ __device__ ParticleView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    plane3_ += n;
    return *this;
  }
  __host__ __device__ ParticleView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ParticleView &operator++() { return *this += 1; }
  __host__ __device__ ParticleView &operator--() { return *this += -1; }
  __host__ __device__ ParticleView operator++(int) {
    const ParticleView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ParticleView operator--(int) {
    const ParticleView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ParticleView operator+(ParticleView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ParticleView operator+(std::ptrdiff_t n, ParticleView view) {
    return view += n;
  }
  friend __host__ __device__ ParticleView operator-(ParticleView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ParticleView &a,
                                                      const ParticleView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ParticleView &a, const ParticleView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ParticleView &a, const ParticleView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ParticleView &a, const ParticleView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ParticleView &a, const ParticleView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ParticleView &a, const ParticleView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ParticleView &a, const ParticleView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return planeBytes(count * sizeof(float)) + planeBytes(count * sizeof(float)) +
           planeBytes(count * sizeof(int)) + count * sizeof(float);
  }
  /// The array of `count` elements in an allocation.
  static ParticleView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    ParticleView view;
    view.plane0_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane1_ = reinterpret_cast<float *>(next);
    next += planeBytes(count * sizeof(float));
    view.plane2_ = reinterpret_cast<int *>(next);
    next += planeBytes(count * sizeof(int));
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
      status = cudaMemsetAsync(plane2_, value, count * sizeof(int), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane3_, value, count * sizeof(float), stream);
    return status;
  }

private:
  friend class ConstParticleView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  float *plane0_;
  float *plane1_;
  int *plane2_;
  float *plane3_;
};

/// Takes the place of `const Particle *` for arrays in device memory.
class ConstParticleView {
public:
  ConstParticleView() = default;
  __host__ __device__ ConstParticleView(std::nullptr_t)
      : plane0_(nullptr), plane1_(nullptr), plane2_(nullptr), plane3_(nullptr) {}
  __host__ __device__ ConstParticleView(const ParticleView &view)
      : plane0_(view.plane0_), plane1_(view.plane1_), plane2_(view.plane2_), plane3_(view.plane3_) {
  }

  __host__ __device__ float x(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float y(std::ptrdiff_t i = 0) const { return plane1_[i]; }
  __host__ __device__ int kind(std::ptrdiff_t i = 0) const { return plane2_[i]; }
  __host__ __device__ float weight(std::ptrdiff_t i = 0) const { return plane3_[i]; }

  __host__ __device__ const Particle load(std::ptrdiff_t i = 0) const {
    ParticleStorage storage;
    Particle &value = storage.value;
    value.x = plane0_[i];
    value.y = plane1_[i];
    value.kind = plane2_[i];
    value.weight = plane3_[i];
    return value;
  }

  __host__ __device__ ConstParticleView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    plane3_ += n;
    return *this;
  }
  __host__ __device__ ConstParticleView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstParticleView &operator++() { return *this += 1; }
  __host__ __device__ ConstParticleView &operator--() { return *this += -1; }
  __host__ __device__ ConstParticleView operator++(int) {
    const ConstParticleView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstParticleView operator--(int) {
    const ConstParticleView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstParticleView operator+(ConstParticleView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstParticleView operator+(std::ptrdiff_t n, ConstParticleView view) {
    return view += n;
  }
  friend __host__ __device__ ConstParticleView operator-(ConstParticleView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstParticleView &a,
                                                      const ConstParticleView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstParticleView &a,
                                             const ConstParticleView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstParticleView &a,
                                             const ConstParticleView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstParticleView &a,
                                            const ConstParticleView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstParticleView &a,
                                            const ConstParticleView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstParticleView &a,
                                             const ConstParticleView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstParticleView &a,
                                             const ConstParticleView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const ParticleView &to, std::size_t count, cudaStream_t stream = 0) const {
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
      status = cudaMemcpyAsync(to.plane3_, plane3_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    return status;
  }

private:
  const float *plane0_;
  const float *plane1_;
  const int *plane2_;
  const float *plane3_;
};

static __global__ void particlePack(Particle *to, ConstParticleView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Particle value = from.load(i);
    to[i].x = value.x;
    to[i].y = value.y;
    to[i].kind = value.kind;
    to[i].weight = value.weight;
  }
}

static __global__ void particleUnpack(ParticleView to, const Particle *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned particleBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Particle) elements.
static inline cudaError_t particleMalloc(ParticleView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Particle) - 1) / sizeof(Particle);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, ParticleView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = ParticleView::over(allocation, count);
  return status;
}

/// cudaFree of what particleMalloc gave.
static inline cudaError_t particleFree(ParticleView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t particleMemcpy(ParticleView to, const Particle *from, std::size_t bytes,
                                         cudaMemcpyKind kind) {
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = (bytes + sizeof(Particle) - 1) / sizeof(Particle);
  Particle *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), count * sizeof(Particle));
  if (status != cudaSuccess)
    return status;
  if (bytes % sizeof(Particle) != 0) // ends inside an element, of which the rest stays
    particlePack<<<1, 1>>>(staging + (count - 1), to + (count - 1), 1);
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    particleUnpack<<<particleBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t particleMemcpy(Particle *to, ConstParticleView from, std::size_t bytes,
                                         cudaMemcpyKind kind) {
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = (bytes + sizeof(Particle) - 1) / sizeof(Particle);
  Particle *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), count * sizeof(Particle));
  if (status != cudaSuccess)
    return status;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  particlePack<<<particleBlocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t particleMemcpy(ParticleView to, ConstParticleView from, std::size_t bytes,
                                         cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Particle) != 0) { // ends inside an element, of which the rest stays
    Particle *staging = nullptr;
    cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
    if (status != cudaSuccess)
      return status;
    status = particleMemcpy(staging, from, bytes, cudaMemcpyDeviceToDevice);
    if (status == cudaSuccess)
      status = particleMemcpy(to, staging, bytes, cudaMemcpyDeviceToDevice);
    const cudaError_t freed = cudaFree(staging);
    return status != cudaSuccess ? status : freed;
  }
  return from.copyTo(to, bytes / sizeof(Particle));
}

/// cudaMemset of `bytes` bytes as Particle counts them.
static inline cudaError_t particleMemset(ParticleView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Particle) != 0) { // ends inside an element, of which the rest stays
    Particle *staging = nullptr;
    cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
    if (status != cudaSuccess)
      return status;
    status = cudaMemset(staging, value, bytes);
    if (status == cudaSuccess)
      status = particleMemcpy(view, staging, bytes, cudaMemcpyDeviceToDevice);
    const cudaError_t freed = cudaFree(staging);
    return status != cudaSuccess ? status : freed;
  }
  return view.fill(value, bytes / sizeof(Particle));
}
