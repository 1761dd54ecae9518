// Device arrays of Node_: 2 planes in one allocation.
//   plane: key, left
//   plane: right
// Host memory keeps Node_ as it is; nodeMemcpy converts on the way. Include this after the
// definition of Node_.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace lib {

static_assert(sizeof(Node_) == 12, "this header was made for another Node_");

/// An element's key, left.
struct alignas(8) NodeCluster0 {
  float key;
  int left;
};

/// Takes the place of `Node_ *` for arrays in device memory.
class NodeView {
public:
  NodeView() = default;
  __host__ __device__ NodeView(std::nullptr_t) : plane0_(nullptr), plane1_(nullptr) {}

  __host__ __device__ float &key(std::ptrdiff_t i = 0) const { return plane0At(i).key; }
  __host__ __device__ int &left(std::ptrdiff_t i = 0) const { return plane0At(i).left; }
  __host__ __device__ int &right(std::ptrdiff_t i = 0) const { return plane1_[i]; }

  __host__ __device__ Node_ load(std::ptrdiff_t i = 0) const {
    const NodeCluster0 part0 = plane0_[i];
    Node_ value;
    value.key = part0.key;
    value.left = part0.left;
    value.right = plane1_[i];
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Node_ &value) const {
    NodeCluster0 part0;
    part0.key = value.key;
    part0.left = value.left;
    plane1_[i] = value.right;
    plane0_[i] = part0;
  }

  __host__ __device__ NodeView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    return *this;
  }
  __host__ __device__ NodeView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ NodeView &operator++() { return *this += 1; }
  __host__ __device__ NodeView &operator--() { return *this += -1; }
  __host__ __device__ NodeView operator++(int) {
    const NodeView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ NodeView operator--(int) {
    const NodeView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ NodeView operator+(NodeView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ NodeView operator+(std::ptrdiff_t n, NodeView view) {
    return view += n;
  }
  friend __host__ __device__ NodeView operator-(NodeView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const NodeView &a, const NodeView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const NodeView &a, const NodeView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const NodeView &a, const NodeView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const NodeView &a, const NodeView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const NodeView &a, const NodeView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const NodeView &a, const NodeView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const NodeView &a, const NodeView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Bytes of an allocation for `count` elements; planes start at multiples of 256.
  static std::size_t allocationBytes(std::size_t count) {
    return planeBytes(count * sizeof(NodeCluster0)) + count * sizeof(int);
  }
  /// The array of `count` elements in an allocation.
  static NodeView over(void *allocation, std::size_t count) {
    char *next = static_cast<char *>(allocation);
    NodeView view;
    view.plane0_ = reinterpret_cast<NodeCluster0 *>(next);
    next += planeBytes(count * sizeof(NodeCluster0));
    view.plane1_ = reinterpret_cast<int *>(next);
    return view;
  }
  /// What `over` was given, when the view stands at the first element.
  void *allocation() const { return plane0_; }
  /// Sets every byte of `count` elements.
  cudaError_t fill(int value, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane0_, value, count * sizeof(NodeCluster0), stream);
    if (status == cudaSuccess)
      status = cudaMemsetAsync(plane1_, value, count * sizeof(int), stream);
    return status;
  }

private:
  friend class ConstNodeView;
  static std::size_t planeBytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  __host__ __device__ NodeCluster0 &plane0At(std::ptrdiff_t i) const {
    return *static_cast<NodeCluster0 *>(
        __builtin_assume_aligned(plane0_ + i, alignof(NodeCluster0)));
  }
  NodeCluster0 *plane0_;
  int *plane1_;
};

/// Takes the place of `const Node_ *` for arrays in device memory.
class ConstNodeView {
public:
  ConstNodeView() = default;
  __host__ __device__ ConstNodeView(std::nullptr_t) : plane0_(nullptr), plane1_(nullptr) {}
  __host__ __device__ ConstNodeView(const NodeView &view)
      : plane0_(view.plane0_), plane1_(view.plane1_) {}

  __host__ __device__ float key(std::ptrdiff_t i = 0) const { return plane0_[i].key; }
  __host__ __device__ int left(std::ptrdiff_t i = 0) const { return plane0_[i].left; }
  __host__ __device__ int right(std::ptrdiff_t i = 0) const { return plane1_[i]; }

  __host__ __device__ const Node_ load(std::ptrdiff_t i = 0) const {
    const NodeCluster0 part0 = plane0_[i];
    Node_ value;
    value.key = part0.key;
    value.left = part0.left;
    value.right = plane1_[i];
    return value;
  }

  __host__ __device__ ConstNodeView &operator+=(std::ptrdiff_t n) {
    plane0_ += n;
    plane1_ += n;
    return *this;
  }
  __host__ __device__ ConstNodeView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstNodeView &operator++() { return *this += 1; }
  __host__ __device__ ConstNodeView &operator--() { return *this += -1; }
  __host__ __device__ ConstNodeView operator++(int) {
    const ConstNodeView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstNodeView operator--(int) {
    const ConstNodeView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstNodeView operator+(ConstNodeView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstNodeView operator+(std::ptrdiff_t n, ConstNodeView view) {
    return view += n;
  }
  friend __host__ __device__ ConstNodeView operator-(ConstNodeView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return plane0_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstNodeView &a,
                                                      const ConstNodeView &b) {
    return a.plane0_ - b.plane0_;
  }
  friend __host__ __device__ bool operator==(const ConstNodeView &a, const ConstNodeView &b) {
    return a.plane0_ == b.plane0_;
  }
  friend __host__ __device__ bool operator!=(const ConstNodeView &a, const ConstNodeView &b) {
    return a.plane0_ != b.plane0_;
  }
  friend __host__ __device__ bool operator<(const ConstNodeView &a, const ConstNodeView &b) {
    return a.plane0_ < b.plane0_;
  }
  friend __host__ __device__ bool operator>(const ConstNodeView &a, const ConstNodeView &b) {
    return a.plane0_ > b.plane0_;
  }
  friend __host__ __device__ bool operator<=(const ConstNodeView &a, const ConstNodeView &b) {
    return a.plane0_ <= b.plane0_;
  }
  friend __host__ __device__ bool operator>=(const ConstNodeView &a, const ConstNodeView &b) {
    return a.plane0_ >= b.plane0_;
  }

  /// Copies `count` elements to another array on the device.
  cudaError_t copyTo(const NodeView &to, std::size_t count, cudaStream_t stream = 0) const {
    cudaError_t status = cudaSuccess;
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane0_, plane0_, count * sizeof(NodeCluster0),
                               cudaMemcpyDeviceToDevice, stream);
    if (status == cudaSuccess)
      status = cudaMemcpyAsync(to.plane1_, plane1_, count * sizeof(int), cudaMemcpyDeviceToDevice,
                               stream);
    return status;
  }

private:
  const NodeCluster0 *plane0_;
  const int *plane1_;
};

static __global__ void nodePack(Node_ *to, ConstNodeView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Node_ value = from.load(i);
    to[i].key = value.key;
    to[i].left = value.left;
    to[i].right = value.right;
  }
}

static __global__ void nodeUnpack(NodeView to, const Node_ *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned nodeBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

/// cudaMalloc of bytes / sizeof(Node_) elements.
static inline cudaError_t nodeMalloc(NodeView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Node_) - 1) / sizeof(Node_);
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, NodeView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = NodeView::over(allocation, count);
  return status;
}

/// cudaFree of what nodeMalloc gave.
static inline cudaError_t nodeFree(NodeView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t nodeMemcpy(NodeView to, const Node_ *from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Node_) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Node_);
  Node_ *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    nodeUnpack<<<nodeBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t nodeMemcpy(Node_ *to, ConstNodeView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Node_) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Node_);
  Node_ *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  nodePack<<<nodeBlocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t nodeMemcpy(NodeView to, ConstNodeView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Node_) != 0)
    return cudaErrorInvalidValue;
  return from.copyTo(to, bytes / sizeof(Node_));
}

/// cudaMemset of `bytes` bytes as Node_ counts them.
static inline cudaError_t nodeMemset(NodeView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Node_) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof(Node_));
}
} // namespace lib
