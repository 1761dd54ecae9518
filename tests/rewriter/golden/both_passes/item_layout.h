// Device arrays of Item: 2 planes in one allocation.
//   plane: value
//   plane: factor
// Host memory keeps Item as it is; itemMemcpy converts on the way. Include this after the
// definition of Item.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace lib {
namespace v1 {

static_assert(sizeof(Item) == 16, "this header was made for another Item");

/// Takes the place of `Item *` for arrays in device memory.
class ItemView {
public:
  ItemView() = default;
  __host__ __device__ ItemView(std::nullptr_t) : plane0_(nullptr), plane1_(nullptr) {}

  __host__ __device__ double &value(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float &factor(std::ptrdiff_t i = 0) const { return plane1_[i]; }

  __host__ __device__ Item load(std::ptrdiff_t i = 0) const {
    Item value;
    value.value = plane0_[i];
    value.factor = plane1_[i];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Item &value) const {
    plane0_[i] = value.value;
    plane1_[i] = value.factor;
  }

  __host__ __device__ ItemView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    return *this;
  }
  __host__ __device__ ItemView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ItemView &operator++() { return *this += 1; }
  __host__ __device__ ItemView &operator--() { return *this += -1; }
  __host__ __device__ ItemView operator++(int) {
    const ItemView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ItemView operator--(int) {
    const ItemView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ItemView operator+(ItemView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ItemView operator+(std::ptrdiff_t n, ItemView view) {
    return view += n;
  }
  friend __host__ __device__ ItemView operator-(ItemView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ItemView &a, const ItemView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ItemView &a, const ItemView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ItemView &a, const ItemView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ItemView &a, const ItemView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ItemView &a, const ItemView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ItemView &a, const ItemView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ItemView &a, const ItemView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return planeBytes(count * sizeof(double)) + count * sizeof(float);
  }
  /// The array of `count` elements in an allocation.
  static ItemView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    ItemView view;
    view.plane0_ = reinterpret_cast<double *>(next);
    next += planeBytes(count * sizeof(double));
    view.plane1_ = reinterpret_cast<float *>(next);
    return view;
  }
  /// What `over` was given, when the view stands at the first element.
  void *allocation() const { return plane0_; }
  /// Sets every byte of `count` elements.
  cudaError_t fill(int value, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane0_, value, count * sizeof(double), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane1_, value, count * sizeof(float), stream);
    return status;
  }

private:
  friend class ConstItemView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  double *plane0_;
  float *plane1_;
};

/// Takes the place of `const Item *` for arrays in device memory.
class ConstItemView {
public:
  ConstItemView() = default;
  __host__ __device__ ConstItemView(std::nullptr_t) : plane0_(nullptr), plane1_(nullptr) {}
  __host__ __device__ ConstItemView(const ItemView &view)
      : plane0_(view.plane0_), plane1_(view.plane1_) {}

  __host__ __device__ double value(std::ptrdiff_t i = 0) const { return plane0_[i]; }
  __host__ __device__ float factor(std::ptrdiff_t i = 0) const { return plane1_[i]; }

  __host__ __device__ const Item load(std::ptrdiff_t i = 0) const {
    Item value;
    value.value = plane0_[i];
    value.factor = plane1_[i];
    return value;
  }

  __host__ __device__ ConstItemView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    return *this;
  }
  __host__ __device__ ConstItemView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstItemView &operator++() { return *this += 1; }
  __host__ __device__ ConstItemView &operator--() { return *this += -1; }
  __host__ __device__ ConstItemView operator++(int) {
    const ConstItemView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstItemView operator--(int) {
    const ConstItemView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstItemView operator+(ConstItemView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstItemView operator+(std::ptrdiff_t n, ConstItemView view) {
    return view += n;
  }
  friend __host__ __device__ ConstItemView operator-(ConstItemView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstItemView &a,
                                                      const ConstItemView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstItemView &a, const ConstItemView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstItemView &a, const ConstItemView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstItemView &a, const ConstItemView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstItemView &a, const ConstItemView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstItemView &a, const ConstItemView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstItemView &a, const ConstItemView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const ItemView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane0_, plane0_, count * sizeof(double),
                               cudaMemcpyDeviceToDevice, stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane1_, plane1_, count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream);
    return status;
  }

private:
  const double *plane0_;
  const float *plane1_;
};

static __global__ void itemPack(Item *to, ConstItemView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Item value = from.load(i);
    to[i].value = value.value;
    to[i].factor = value.factor;
  }
}

static __global__ void itemUnpack(ItemView to, const Item *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned itemBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Item) elements.
static inline cudaError_t itemMalloc(ItemView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Item) - 1) / sizeof(Item);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, ItemView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = ItemView::over(allocation, count);
  return status;
}

/// cudaFree of what itemMalloc gave.
static inline cudaError_t itemFree(ItemView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t itemMemcpy(ItemView to, const Item *from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Item) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Item);
  Item *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    itemUnpack<<<itemBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t itemMemcpy(Item *to, ConstItemView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Item) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Item);
  Item *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemset(staging, 0, bytes); // padding
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    itemPack<<<itemBlocks(count), 256>>>(staging, from, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t itemMemcpy(ItemView to, ConstItemView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Item) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Item));
}

/// cudaMemset of `bytes` bytes as Item counts them.
static inline cudaError_t itemMemset(ItemView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Item) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Item));
}
} // namespace v1
} // namespace lib
