// R soa
#include <cstdio>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  R *d;
  float *f;
  cudaMalloc(&d, 64 * sizeof(R));
  cudaMalloc(&f, 64 * sizeof(float));
  k<<<1, 64>>>(d);
  void *all[] = {d, f}; // refused: RL-R05
  for (void *p : all) {
    std::printf("%p\n", p);
    cudaFree(p);
  }
}
