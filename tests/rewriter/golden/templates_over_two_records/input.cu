// Templates over one record that are given another as well.
// clang-format off
#include <cstdio>

struct Spin { float up, down; };
struct Site { int x, y, mark; };

__device__ Site *borders;

__device__ void age(Site &site) { site.mark += site.x > 0; }

template <class T, int B> __global__ void turn(T *spins, Site *sites, int n) {
  Site *mine = sites + 1;
  int i = blockIdx.x * B + threadIdx.x;
  if (i + 1 < n) {
    spins[i].up -= spins[i].down;
    mine[i].mark = sites[i].x + sites[i].y;
    age(mine[i]);
    spins[i].down += borders[i].mark;
  }
}

template <int B> __global__ void mark(Site *sites, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) sites[i].x += 1;
}

int main() {
  const int n = 128;
  Spin spins[n];
  Site sites[n];
  for (int i = 0; i < n; ++i) {
    spins[i] = {i + 1.0f, 0.5f};
    sites[i] = {i, 2 * i, 0};
  }
  Spin *a;
  Site *b;
  cudaMalloc(&a, n * sizeof(Spin));
  cudaMalloc(&b, n * sizeof(Site));
  cudaMemcpy(a, spins, n * sizeof(Spin), cudaMemcpyHostToDevice);
  cudaMemcpy(b, sites, n * sizeof(Site), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(borders, &b, sizeof(Site *));
  turn<Spin, 64><<<n / 64, 64>>>(a, b, n);
  mark<32><<<n / 32, 32>>>(b, n);
  cudaMemcpy(spins, a, n * sizeof(Spin), cudaMemcpyDeviceToHost);
  cudaMemcpy(sites, b, n * sizeof(Site), cudaMemcpyDeviceToHost);
  printf("%g %d\n", spins[3].up, sites[9].mark + sites[9].x);
}
