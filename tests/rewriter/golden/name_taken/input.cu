#include <cstdio>

struct R {
  float x, y;
};

struct RView {
  int rSoaBlocks;
};

__global__ void k(R *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].x += p[i].y;
}

int main() {
  RView seen{2};
  R host[64] = {}, *p;
  cudaMalloc(&p, sizeof host);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  k<<<seen.rSoaBlocks, 32>>>(p, 64);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[1].x);
  cudaFree(p);
}
