// Pointers of several types in lists of untyped ones, which are freed.
// clang-format off
#include <cstdio>
#include <initializer_list>
#define CHECK(call) do { if ((call) != cudaSuccess) std::printf("%s\n", #call); } while (0)

struct Cell { float heat; int age; };
struct State { Cell *cells; float *sums; };

__global__ void step(const Cell *from, Cell *to, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i].heat = from[i].heat + 1;
  to[i].age = from[i].age + i;
  sums[i] = to[i].heat;
}

int main() {
  const int n = 256;
  Cell *a, *b, *c, *more, host[n] = {};
  State state;
  cudaMalloc(&a, n * sizeof(Cell));
  cudaMalloc(&b, n * sizeof(Cell));
  cudaMalloc(&c, n * sizeof(Cell));
  cudaMalloc(&more, n * sizeof(Cell));
  cudaMalloc(&state.cells, n * sizeof(Cell));
  cudaMalloc(&state.sums, n * sizeof(float));
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  step<<<1, n>>>(a, b, state.sums);
  step<<<1, n>>>(b, more, state.sums);
  step<<<1, n>>>(more, c, state.sums);
  step<<<1, n>>>(c, state.cells, state.sums);
  cudaMemcpy(host, state.cells, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", host[9].heat, host[9].age);
  for (void *p : {(void *)a, static_cast<void *>(b)})
    CHECK(cudaFree(p));
  for (void *p : std::initializer_list<void *>{more, state.sums})
    if (p)
      cudaFree(p);
  void *rest[] = {c, state.cells};
  for (auto p : rest) {
    cudaFree(p);
  }
}
