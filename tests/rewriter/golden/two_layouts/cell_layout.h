// Device arrays of Cell: tiles of 32 elements in one allocation.
//   4 planes: corner[k]
//   plane: volume
// Host memory keeps Cell as it is; cellMemcpy converts on the way. Include this after the
// definition of Cell.
#pragma once

#include <cstddef>
#include <cstring>
#include <cuda_runtime.h>

namespace geometry {

static_assert(sizeof(Cell) == 20, "this header was made for another Cell");

/// Takes the place of `Cell *` for arrays in device memory.
class CellView {
public:
  CellView() = default;
  __host__ __device__ CellView(std::nullptr_t) : base_(nullptr), index_(0) {}

  __host__ __device__ int &corner(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return planeAt<int>(0 + k * 128, i);
  }
  __host__ __device__ float &volume(std::ptrdiff_t i = 0) const { return planeAt<float>(512, i); }

  __host__ __device__ Cell load(std::ptrdiff_t i = 0) const {
    Cell value;
    value.volume = planeAt<float>(512, i);
    for (int k = 0; k < 4; ++k) {
      value.corner[k] = planeAt<int>(0 + k * 128, i);
    }
    return value;
  }
  __host__ __device__ void store(std::ptrdiff_t i, const Cell &value) const {
    planeAt<float>(512, i) = value.volume;
    for (int k = 0; k < 4; ++k) {
      planeAt<int>(0 + k * 128, i) = value.corner[k];
    }
  }

  __host__ __device__ CellView &operator+=(std::ptrdiff_t n) {
    index_ += n;
    return *this;
  }
  __host__ __device__ CellView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ CellView &operator++() { return *this += 1; }
  __host__ __device__ CellView &operator--() { return *this += -1; }
  __host__ __device__ CellView operator++(int) {
    const CellView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ CellView operator--(int) {
    const CellView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ CellView operator+(CellView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ CellView operator+(std::ptrdiff_t n, CellView view) {
    return view += n;
  }
  friend __host__ __device__ CellView operator-(CellView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return base_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const CellView &a, const CellView &b) {
    return a.index_ - b.index_;
  }
  friend __host__ __device__ bool operator==(const CellView &a, const CellView &b) {
    return a.base_ == b.base_ && a.index_ == b.index_;
  }
  friend __host__ __device__ bool operator!=(const CellView &a, const CellView &b) {
    return !(a == b);
  }
  friend __host__ __device__ bool operator<(const CellView &a, const CellView &b) {
    return a.index_ < b.index_;
  }
  friend __host__ __device__ bool operator>(const CellView &a, const CellView &b) {
    return a.index_ > b.index_;
  }
  friend __host__ __device__ bool operator<=(const CellView &a, const CellView &b) {
    return a.index_ <= b.index_;
  }
  friend __host__ __device__ bool operator>=(const CellView &a, const CellView &b) {
    return a.index_ >= b.index_;
  }

  /// Bytes of an allocation for `count` elements, at least one; the last tile is whole.
  static std::size_t allocationBytes(std::size_t count) {
    return (count - 1) / kTile * kTileBytes + 640;
  }
  /// The array in an allocation.
  static CellView over(void *allocation, std::size_t) {
    CellView view;
    view.base_ = static_cast<char *>(allocation);
    view.index_ = 0;
    return view;
  }
  /// What `over` was given.
  void *allocation() const { return base_; }

private:
  friend class ConstCellView;
  static_assert(sizeof(int) == 4, "the planes were computed from this size");
  static_assert(sizeof(float) == 4, "the planes were computed from this size");
  static constexpr unsigned kTile = 32;
  static constexpr std::size_t kTileBytes = 640;
  /// Element i of the plane that starts `start` bytes into each tile.
  template <class T> __host__ __device__ T &planeAt(std::size_t start, std::ptrdiff_t i) const {
    const unsigned element = unsigned(index_ + i); // divides faster
    T *plane = reinterpret_cast<T *>(base_ + element / kTile * kTileBytes + start);
    return *static_cast<T *>(__builtin_assume_aligned(plane + element % kTile, alignof(T)));
  }
  char *base_;           // of the array's first tile
  std::ptrdiff_t index_; // of the element the view stands at
};

/// Takes the place of `const Cell *` for arrays in device memory.
class ConstCellView {
public:
  ConstCellView() = default;
  __host__ __device__ ConstCellView(std::nullptr_t) : base_(nullptr), index_(0) {}
  __host__ __device__ ConstCellView(const CellView &view)
      : base_(view.base_), index_(view.index_) {}

  __host__ __device__ int corner(std::ptrdiff_t i, std::ptrdiff_t k) const {
    return planeAt<int>(0 + k * 128, i);
  }
  __host__ __device__ float volume(std::ptrdiff_t i = 0) const { return planeAt<float>(512, i); }

  __host__ __device__ const Cell load(std::ptrdiff_t i = 0) const {
    Cell value;
    value.volume = planeAt<float>(512, i);
    for (int k = 0; k < 4; ++k) {
      value.corner[k] = planeAt<int>(0 + k * 128, i);
    }
    return value;
  }

  __host__ __device__ ConstCellView &operator+=(std::ptrdiff_t n) {
    index_ += n;
    return *this;
  }
  __host__ __device__ ConstCellView &operator-=(std::ptrdiff_t n) { return *this += -n; }
  __host__ __device__ ConstCellView &operator++() { return *this += 1; }
  __host__ __device__ ConstCellView &operator--() { return *this += -1; }
  __host__ __device__ ConstCellView operator++(int) {
    const ConstCellView old = *this;
    ++*this;
    return old;
  }
  __host__ __device__ ConstCellView operator--(int) {
    const ConstCellView old = *this;
    --*this;
    return old;
  }
  friend __host__ __device__ ConstCellView operator+(ConstCellView view, std::ptrdiff_t n) {
    return view += n;
  }
  friend __host__ __device__ ConstCellView operator+(std::ptrdiff_t n, ConstCellView view) {
    return view += n;
  }
  friend __host__ __device__ ConstCellView operator-(ConstCellView view, std::ptrdiff_t n) {
    return view -= n;
  }
  __host__ __device__ explicit operator bool() const { return base_ != nullptr; }
  friend __host__ __device__ std::ptrdiff_t operator-(const ConstCellView &a,
                                                      const ConstCellView &b) {
    return a.index_ - b.index_;
  }
  friend __host__ __device__ bool operator==(const ConstCellView &a, const ConstCellView &b) {
    return a.base_ == b.base_ && a.index_ == b.index_;
  }
  friend __host__ __device__ bool operator!=(const ConstCellView &a, const ConstCellView &b) {
    return !(a == b);
  }
  friend __host__ __device__ bool operator<(const ConstCellView &a, const ConstCellView &b) {
    return a.index_ < b.index_;
  }
  friend __host__ __device__ bool operator>(const ConstCellView &a, const ConstCellView &b) {
    return a.index_ > b.index_;
  }
  friend __host__ __device__ bool operator<=(const ConstCellView &a, const ConstCellView &b) {
    return a.index_ <= b.index_;
  }
  friend __host__ __device__ bool operator>=(const ConstCellView &a, const ConstCellView &b) {
    return a.index_ >= b.index_;
  }

private:
  static constexpr unsigned kTile = 32;
  static constexpr std::size_t kTileBytes = 640;
  /// Element i of the plane that starts `start` bytes into each tile.
  template <class T>
  __host__ __device__ const T &planeAt(std::size_t start, std::ptrdiff_t i) const {
    const unsigned element = unsigned(index_ + i); // divides faster
    return reinterpret_cast<const T *>(base_ + element / kTile * kTileBytes +
                                       start)[element % kTile];
  }
  const char *base_;     // of the array's first tile
  std::ptrdiff_t index_; // of the element the view stands at
};

static __global__ void cellPack(Cell *to, ConstCellView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const Cell value = from.load(i);
    for (int k = 0; k < 4; ++k)
      to[i].corner[k] = value.corner[k];
    to[i].volume = value.volume;
  }
}

static __global__ void cellUnpack(CellView to, const Cell *from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned cellBlocks(std::size_t count) {
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}

static __global__ void cellFill(CellView to, int byte, std::size_t count) {
  Cell value;
  std::memset(static_cast<void *>(&value), byte, sizeof(value));
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, value);
}

static __global__ void cellMove(CellView to, ConstCellView from, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from.load(i));
}

/// cudaMalloc of bytes / sizeof(Cell) elements.
static inline cudaError_t cellMalloc(CellView *view, std::size_t bytes) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(Cell) - 1) / sizeof(Cell);
  if (count >> 32 != 0)
    return cudaErrorMemoryAllocation; // elements are numbered in 32 bits
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, CellView::allocationBytes(count));
  if (status == cudaSuccess)
    *view = CellView::over(allocation, count);
  return status;
}

/// cudaFree of what cellMalloc gave.
static inline cudaError_t cellFree(CellView view) { return cudaFree(view.allocation()); }

/// cudaMemcpy from records as they are, which `bytes` counts.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t cellMemcpy(CellView to, const Cell *from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Cell) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Cell);
  Cell *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    cellUnpack<<<cellBlocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t cellMemcpy(Cell *to, ConstCellView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (bytes % sizeof(Cell) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Cell);
  Cell *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  cellPack<<<cellBlocks(count), 256>>>(staging, from, count);
  status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}

/// cudaMemcpy within the device.
static inline cudaError_t cellMemcpy(CellView to, ConstCellView from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes % sizeof(Cell) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Cell);
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  cellMove<<<cellBlocks(count), 256>>>(to, from, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}

/// cudaMemset of `bytes` bytes as Cell counts them.
static inline cudaError_t cellMemset(CellView view, int value, std::size_t bytes) {
  if (bytes % sizeof(Cell) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(Cell);
  const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
  cellFill<<<cellBlocks(count), 256>>>(view, value, count);
  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
}
} // namespace geometry
