// Device arrays of Row: 12 planes in one allocation.
//   5 planes: value[k], column[k]
//   plane: diagonal, unknown
//   6 planes: stencil[k / 3][k % 3]
// Host memory keeps Row as it is; rowMemcpy converts on the way. Include this after the
// definition of Row.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

static_assert(sizeof(Row) == 96, "this header was made for another Row");

/// An element's value[k], column[k].
struct alignas(16) RowCluster0 {
  double value;
  int column;
};

/// An element's diagonal, unknown.
struct RowCluster1 {
  double diagonal;
  int unknown;
};

/// Takes the place of `Row *` for arrays in device memory.
class RowView {
public:
  RowView() = default;
  __host__ __device__ RowView(std::nullptr_t)
      : plane0_(nullptr), plane0Stride_(0), plane1_(nullptr), plane2_(nullptr), plane2Stride_(0) {}

  __host__ __device__ double &value(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return plane0At(i, k).value;
  }
  __host__ __device__ double &diagonal(std::ptrdiff_t i = 0) const { return plane1At(i).diagonal; }
  __host__ __device__ int &column(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return plane0At(i, k).column;
  }
  __host__ __device__ int &unknown(std::ptrdiff_t i = 0) const { return plane1At(i).unknown; }
  __host__ __device__ float &stencil(std::ptrdiff_t i, std::ptrdiff_t k0, std::ptrdiff_t k1) const {
    return plane2Lane(k0 * 3 + k1)[i];
  }

  __host__ __device__ Row load(std::ptrdiff_t i = 0) const {
    const RowCluster1 part1 = plane1_[i];
    Row value;
    value.diagonal = part1.diagonal;
    value.unknown = part1.unknown;
    for (int k = 0; k < 5; ++k) {
      const RowCluster0 part0 = plane0Lane(k)[i];
      value.value[k] = part0.value;
      value.column[k] = part0.column;
    }
    for (int k = 0; k < 6; ++k) {
      value.stencil[k / 3][k % 3] = plane2Lane(k)[i];
    }
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Row &value) const {
    RowCluster1 part1;
    part1.diagonal = value.diagonal;
    part1.unknown = value.unknown;
    for (int k = 0; k < 5; ++k) {
      RowCluster0 part0;
      part0.value = value.value[k];
      part0.column = value.column[k];
      plane0Lane(k)[i] = part0;
    }
    plane1_[i] = part1;
    for (int k = 0; k < 6; ++k) {
      plane2Lane(k)[i] = value.stencil[k / 3][k % 3];
    }
  }

  __host__ __device__ RowView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    return *this;
  }
  __host__ __device__ RowView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ RowView &operator++() { return *this += 1; }
  __host__ __device__ RowView &operator--() { return *this += -1; }
  __host__ __device__ RowView operator++(int) {
    const RowView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ RowView operator--(int) {
    const RowView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ RowView operator+(RowView view, std::ptrdiff_t n) { return view += n; }
  friend __host__ __device__ RowView operator+(std::ptrdiff_t n, RowView view) { return view += n; }
  friend __host__ __device__ RowView operator-(RowView view, std::ptrdiff_t n) { return view -= n; }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const RowView &a, const RowView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const RowView &a, const RowView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const RowView &a, const RowView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const RowView &a, const RowView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const RowView &a, const RowView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const RowView &a, const RowView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const RowView &a, const RowView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return 5 * planeBytes(count * sizeof(RowCluster0)) + planeBytes(count * sizeof(RowCluster1)) +
           5 * planeBytes(count * sizeof(float)) + count * sizeof(float);
  }
  /// The array of `count` elements in an allocation.
  static RowView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    RowView view;
    view.plane0_ = reinterpret_cast<RowCluster0 *>(next);
    view.plane0Stride_ = planeBytes(count * sizeof(RowCluster0));
    next += 5 * view.plane0Stride_;
    view.plane1_ = reinterpret_cast<RowCluster1 *>(next);
    next += planeBytes(count * sizeof(RowCluster1));
    view.plane2_ = reinterpret_cast<float *>(next);
    view.plane2Stride_ = planeBytes(count * sizeof(float));
    return view;
  }
  /// What `over` was given, when the view stands at the first element.
  void *allocation() const { return plane0_; }
  /// Sets every byte of `count` elements.
  cudaError_t fill(int value, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    for (int k = 0; k < 5 && status == cudaSuccess; ++k)
      status = cudaMemsetAsync(plane0Lane(k), value, count * sizeof(RowCluster0), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane1_, value, count * sizeof(RowCluster1), stream);
    for (int k = 0; k < 6 && status == cudaSuccess; ++k)
      status = cudaMemsetAsync(plane2Lane(k), value, count * sizeof(float), stream);
    return status;
  }

private:
  friend class ConstRowView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  __host__ __device__ RowCluster0 *plane0Lane(std::ptrdiff_t k) const {
    return reinterpret_cast<RowCluster0 *>(reinterpret_cast<char *>(plane0_) + k * plane0Stride_);
  }
  __host__ __device__ RowCluster0 &plane0At(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return *static_cast<RowCluster0 *>(
        __builtin_assume_aligned(plane0Lane(k) + i, alignof(RowCluster0)));
  }
  __host__ __device__ RowCluster1 &plane1At(std::ptrdiff_t i) const {
    return *static_cast<RowCluster1 *>(__builtin_assume_aligned(plane1_ + i, alignof(RowCluster1)));
  }
  __host__ __device__ float *plane2Lane(std::ptrdiff_t k) const {
    return reinterpret_cast<float *>(reinterpret_cast<char *>(plane2_) + k * plane2Stride_);
  }
  RowCluster0 *plane0_;
  std::ptrdiff_t plane0Stride_; // bytes from one array element's plane to the next
  RowCluster1 *plane1_;
  float *plane2_;
  std::ptrdiff_t plane2Stride_; // bytes from one array element's plane to the next
};

/// Takes the place of `const Row *` for arrays in device memory.
class ConstRowView {
public:
  ConstRowView() = default;
  __host__ __device__ ConstRowView(std::nullptr_t)
      : plane0_(nullptr), plane0Stride_(0), plane1_(nullptr), plane2_(nullptr), plane2Stride_(0) {}
  __host__ __device__ ConstRowView(const RowView &view)
      : plane0_(view.plane0_), plane0Stride_(view.plane0Stride_), plane1_(view.plane1_),
        plane2_(view.plane2_), plane2Stride_(view.plane2Stride_) {}

  __host__ __device__ double value(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return plane0Lane(k)[i].value;
  }
  __host__ __device__ double diagonal(std::ptrdiff_t i = 0) const { return plane1_[i].diagonal; }
  __host__ __device__ int column(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return plane0Lane(k)[i].column;
  }
  __host__ __device__ int unknown(std::ptrdiff_t i = 0) const { return plane1_[i].unknown; }
  __host__ __device__ float stencil(std::ptrdiff_t i, std::ptrdiff_t k0, std::ptrdiff_t k1) const {
    return plane2Lane(k0 * 3 + k1)[i];
  }

  __host__ __device__ const Row load(std::ptrdiff_t i = 0) const {
    const RowCluster1 part1 = plane1_[i];
    Row value;
    value.diagonal = part1.diagonal;
    value.unknown = part1.unknown;
    for (int k = 0; k < 5; ++k) {
      const RowCluster0 part0 = plane0Lane(k)[i];
      value.value[k] = part0.value;
      value.column[k] = part0.column;
    }
    for (int k = 0; k < 6; ++k) {
      value.stencil[k / 3][k % 3] = plane2Lane(k)[i];
    }
    return value;
  }

  __host__ __device__ ConstRowView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    plane2_ += n;
    return *this;
  }
  __host__ __device__ ConstRowView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstRowView &operator++() { return *this += 1; }
  __host__ __device__ ConstRowView &operator--() { return *this += -1; }
  __host__ __device__ ConstRowView operator++(int) {
    const ConstRowView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstRowView operator--(int) {
    const ConstRowView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstRowView operator+(ConstRowView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstRowView operator+(std::ptrdiff_t n, ConstRowView view) {
    return view += n;
  }
  friend __host__ __device__ ConstRowView operator-(ConstRowView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstRowView &a,
                                                      const ConstRowView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstRowView &a, const ConstRowView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstRowView &a, const ConstRowView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstRowView &a, const ConstRowView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstRowView &a, const ConstRowView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstRowView &a, const ConstRowView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstRowView &a, const ConstRowView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const RowView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    for (int k = 0; k < 5 && status == cudaSuccess; ++k)
      status = cudaMemcpyAsync(to.plane0Lane(k), plane0Lane(k), count * sizeof(RowCluster0),
                               cudaMemcpyDeviceToDevice, stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane1_, plane1_, count * sizeof(RowCluster1),
                               cudaMemcpyDeviceToDevice, stream);
    for (int k = 0; k < 6 && status == cudaSuccess; ++k)
      status = cudaMemcpyAsync(to.plane2Lane(k), plane2Lane(k), count * sizeof(float),
                               cudaMemcpyDeviceToDevice, stream);
    return status;
  }

private:
  __host__ __device__ const RowCluster0 *plane0Lane(std::ptrdiff_t k) const {
    return reinterpret_cast<const RowCluster0 *>(reinterpret_cast<const char *>(plane0_) +
                                                 k * plane0Stride_);
  }
  __host__ __device__ const float *plane2Lane(std::ptrdiff_t k) const {
    return reinterpret_cast<const float *>(reinterpret_cast<const char *>(plane2_) +
                                           k * plane2Stride_);
  }
  const RowCluster0 *plane0_;
  std::ptrdiff_t plane0Stride_; // bytes from one array element's plane to the next
  const RowCluster1 *plane1_;
  const float *plane2_;
  std::ptrdiff_t plane2Stride_; // bytes from one array element's plane to the next
};

static __global__ void rowPack(Row *to, ConstRowView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Row value = from.load(i);
    for (int k = 0; k < 5; ++k)
      to[i].value[k] = value.value[k];
    to[i].diagonal = value.diagonal;
    for (int k = 0; k < 5; ++k)
      to[i].column[k] = value.column[k];
    to[i].unknown = value.unknown;
    for (int k0 = 0; k0 < 2; ++k0)
      for (int k1 = 0; k1 < 3; ++k1)
        to[i].stencil[k0][k1] = value.stencil[k0][k1];
  }
}

static __global__ void rowUnpack(RowView to, const Row *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned rowBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Row) elements.
static inline cudaError_t rowMalloc(RowView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Row) - 1) / sizeof(Row);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, RowView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = RowView::over(allocation, count);
  return status;
}

/// cudaFree of what rowMalloc gave.
static inline cudaError_t rowFree(RowView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t rowMemcpy(RowView to, const Row *from, std::size_t bytes,
                                    cudaMemcpyKind kind) {
  if (bytes % sizeof(Row) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Row);
  Row *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    rowUnpack<<<rowBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t rowMemcpy(Row *to, ConstRowView from, std::size_t bytes,
                                    cudaMemcpyKind kind) {
  if (bytes % sizeof(Row) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Row);
  Row *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  rowPack<<<rowBlocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t rowMemcpy(RowView to, ConstRowView from, std::size_t bytes,
                                    cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Row) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Row));
}

/// cudaMemset of `bytes` bytes as Row counts them.
static inline cudaError_t rowMemset(RowView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Row) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Row));
}
