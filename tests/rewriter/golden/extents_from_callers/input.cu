// Functions that allocate get the extents of an order from where they are visible: a function that
// returns the array, one that fills it in and is called by another, one for memory of any type, and a
// constructor of a template's instance.
#include <cuda_runtime.h>

__global__ void smooth(const double *from, double *to, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= nx || y >= ny)
    return;
  for (int z = 1; z < nz; ++z)
    to[(x * ny + y) * nz + z] = from[(x * ny + y) * nz + z] - from[(x * ny + y) * nz + z - 1];
}

__global__ void scale(float *field, int ny, int nz) {
  const int x = threadIdx.x;
  for (int y = 0; y < ny; ++y)
    for (int z = 0; z < nz; ++z)
      field[(x * ny + y) * nz + z] *= 2;
}

__global__ void count(int *cells, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    for (int column = 0; column < columns; ++column)
      ++cells[row * columns + column];
}

__global__ void decay(unsigned *ages, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    for (int column = 0; column < columns; ++column)
      ages[row * columns + column] /= 2;
}

double *zeros(size_t count);

double *zeros(size_t count) {
  double *memory = nullptr;
  cudaMalloc(&memory, count * sizeof(double));
  cudaMemset(memory, 0, count * sizeof(double));
  return memory;
}

void make(float **field, size_t count) { cudaMalloc((void **)field, count * sizeof(float)); }

void makeBoth(float **a, float **b, int count) {
  make(a, count);
  make(b, count);
}

void gpuMalloc(void **memory, size_t bytes) { cudaMalloc(memory, bytes); }

void gpuZeros(void **memory, size_t bytes) {
  gpuMalloc(memory, bytes);
  cudaMemset(*memory, 0, bytes);
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

int main(int argc, char **argv) {
  const int nx = argc + 30, ny = argc + 4, nz = argc + 5;
  double *u = zeros(nx * ny * nz), *v = zeros(nx * ny * nz);
  smooth<<<dim3(1, ny), nx>>>(u, v, nx, ny, nz);
  struct Shape {
    int ny, nz;
  };
  Shape shape{ny, nz};
  float *a, *b;
  makeBoth(&a, &b, nx * shape.ny * shape.nz);
  scale<<<1, nx>>>(a, shape.ny, shape.nz);
  scale<<<1, nx>>>(b, shape.ny, shape.nz);
  Buffer<int> cells(nx * ny);
  count<<<1, nx>>>(cells.get(), nx, ny);
  unsigned *ages;
  gpuZeros((void **)&ages, nx * ny * sizeof(unsigned));
  decay<<<1, nx>>>(ages, nx, ny);
  cudaFree(ages);
  cudaFree(u);
  cudaFree(v);
  cudaFree(a);
  cudaFree(b);
}
