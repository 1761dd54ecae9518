#include <cstdio>

struct R {
  float x, y;
};
#include "r_soa2_layout.h"

struct RView {
  int rSoaBlocks;
};

__global__ void k(RSoa2View p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p.x(i) += p.y(i);
}

int main() {
  RView seen{2};
  R host[64] = {};
  RSoa2View p;
  rSoa2Malloc(&p, sizeof host);
  rSoa2Memcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  k<<<seen.rSoaBlocks, 32>>>(p, 64);
  rSoa2Memcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[1].x);
  rSoa2Free(p);
}
