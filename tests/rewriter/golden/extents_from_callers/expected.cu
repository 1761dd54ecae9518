// Functions that allocate get the extents of an order from where they are visible: a function that
// returns the array, one that fills it in and is called by another, one for memory of any type, and a
// constructor of a template's instance.
#include <cuda_runtime.h>

#include "double_layout.h"
#include "float_layout.h"
#include "int_layout.h"
#include "unsigned_int_layout.h"

__global__ void smooth(ConstDoubleView from, DoubleView to, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= nx || y >= ny)
    return;
  for (int z = 1; z < nz; ++z)
    to.at(x, y, z) = from.at(x, y, z) - from.at(x, y, z - 1);
}

__global__ void scale(FloatView field, int ny, int nz) {
  const int x = threadIdx.x;
  for (int y = 0; y < ny; ++y)
    for (int z = 0; z < nz; ++z)
      field.at(x, y, z) *= 2;
}

__global__ void count(IntView cells, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    for (int column = 0; column < columns; ++column)
      ++cells.at(row, column);
}

__global__ void decay(UnsignedIntView ages, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    for (int column = 0; column < columns; ++column)
      ages.at(row, column) /= 2;
}

DoubleView zeros(size_t count, int nz, int ny);

DoubleView zeros(size_t count, int nz, int ny) {
  DoubleView memory = nullptr;
  doubleMalloc(&memory, count * sizeof(double), nz, ny);
  doubleMemset(memory, 0, count * sizeof(double));
  return memory;
}

void make(FloatView *field, size_t count, int nz, int ny) { floatMalloc(field, count * sizeof(float), nz, ny); }

void makeBoth(FloatView *a, FloatView *b, int count, int nz, int ny) {
  make(a, count, nz, ny);
  make(b, count, nz, ny);
}

void gpuMalloc(void **memory, size_t bytes) { cudaMalloc(memory, bytes); }

void gpuMalloc(UnsignedIntView *memory, size_t bytes, size_t ny) { unsignedIntMalloc(memory, bytes, ny); }

void gpuZeros(void **memory, size_t bytes) {
  gpuMalloc(memory, bytes);
  cudaMemset(*memory, 0, bytes);
}

void gpuZeros(UnsignedIntView *memory, size_t bytes, size_t ny) {
  gpuMalloc(memory, bytes, ny);
  unsignedIntMemset(*memory, 0, bytes);
}

template <class T> class Buffer {
public:
  explicit Buffer(size_t count) : count_(count) { cudaMalloc(&memory_, count * sizeof(T)); }
  ~Buffer() { cudaFree(memory_); }
  T *get() const { return memory_; }

private:
  T *memory_ = nullptr;
  size_t count_;
};

template <> class Buffer<int> {
public:
  explicit Buffer(size_t count, int ny) : count_(count) { intMalloc(&memory_, count * sizeof(int), ny); }
  ~Buffer() { intFree(memory_); }
  IntView get() const { return memory_; }

private:
  IntView memory_ = nullptr;
  size_t count_;
};

int main(int argc, char **argv) {
  const int nx = argc + 30, ny = argc + 4, nz = argc + 5;
  DoubleView u = zeros(nx * ny * nz, nz, ny), v = zeros(nx * ny * nz, nz, ny);
  smooth<<<dim3(1, ny), nx>>>(u, v, nx, ny, nz);
  struct Shape {
    int ny, nz;
  };
  Shape shape{ny, nz};
  FloatView a, b;
  makeBoth(&a, &b, nx * shape.ny * shape.nz, shape.nz, shape.ny);
  scale<<<1, nx>>>(a, shape.ny, shape.nz);
  scale<<<1, nx>>>(b, shape.ny, shape.nz);
  Buffer<int> cells(nx * ny, ny);
  count<<<1, nx>>>(cells.get(), nx, ny);
  UnsignedIntView ages;
  gpuZeros(&ages, nx * ny * sizeof(unsigned), ny);
  decay<<<1, nx>>>(ages, nx, ny);
  unsignedIntFree(ages);
  doubleFree(u);
  doubleFree(v);
  floatFree(a);
  floatFree(b);
}
