#include "shared.h"
static __device__ float scale(float value) { return 2 * value; }
__global__ void other(R *p) { p[0].x = scale(1.0f); }
int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  other<<<1, 1>>>(p);
  work<<<1, 64>>>(p, 64);
}
