// Functions on the arrays that are constexpr stay so, and so do constants that hold a pointer.
#include <cuda_runtime.h>

struct Cell {
  float a, b;
};

__host__ __device__ constexpr float sum(const Cell *cells, int i) {
  return cells[i].a + cells[i].b;
}

__host__ __device__ constexpr const Cell *behind(const Cell *cells, int n) {
  return cells != nullptr ? cells + n : nullptr;
}

struct Window {
  const Cell *first;
  int count;
  __host__ __device__ constexpr Window() : first(nullptr), count(0) {}
  __host__ __device__ constexpr Window(const Cell *cells, int n) : first(cells), count(n) {}
  __host__ __device__ constexpr bool isEmpty() const { return !first || count == 0; }
};

constexpr Window kNone;
static_assert(kNone.isEmpty(), "no cells");
static_assert(behind(nullptr, 3) == nullptr, "no cells");

__global__ void add(Window window, float *out) {
  int i = threadIdx.x;
  if (window.isEmpty() || i >= window.count)
    return;
  const Cell cell = window.first[i];
  out[i] = sum(window.first, i) + cell.a;
}

int main() {
  const int count = 64;
  Cell cells[count] = {};
  Cell *device = nullptr;
  float *out = nullptr;
  cudaMalloc(&device, sizeof(cells));
  cudaMalloc(&out, count * sizeof(float));
  cudaMemcpy(device, cells, sizeof(cells), cudaMemcpyHostToDevice);
  add<<<1, 64>>>(Window(behind(device, 8), count - 8), out);
  cudaFree(device);
  cudaFree(out);
}
