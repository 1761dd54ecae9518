// Where a layout only aligns a record, its declaration says so, and nothing else changes.
#include <cuda_runtime.h>
#include <vector>

struct Body {
  float x, y, z, mass;
};
typedef struct {
  float position, velocity, force, charge;
} Ion;
class Cell {
public:
  __device__ float sum() const { return a + b; }

private:
  float a = 1, b = 2;
};
__device__ Body reference[4];

// What views do not know is no reason against it: memory taken for numbers, and bytes.
__global__ void gather(const Body *bodies, Ion *ions, const Cell *cells, float *out) {
  const int i = threadIdx.x;
  const auto *words = reinterpret_cast<const float *>(bodies + i);
  memcpy(&ions[i], &ions[i + 1], sizeof(Ion));
  out[i] = words[3] + ions[i].force + cells[i].sum() + reference[i % 4].mass;
}

void run(int n) {
  std::vector<Body> host(n);
  Body *bodies;
  Ion *ions = nullptr;
  Cell *cells = static_cast<Cell *>(nullptr);
  float *out;
  void *memory;
  cudaMalloc((void **)&bodies, n * sizeof(Body));
  cudaMalloc(&memory, (n + 1) * sizeof(Ion));
  ions = (Ion *)memory;
  cudaMallocManaged(&cells, n * sizeof(Cell));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(bodies, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
  gather<<<1, n>>>(bodies, ions, cells, out);
  cudaMemcpy(host.data(), bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
}
