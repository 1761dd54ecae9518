// R soa
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  R *r;
  cudaMalloc(&r, 64 * sizeof(R));
  k<<<1, 64>>>(r);
  thrust::for_each(thrust::device, r, r + 64, [] __host__ __device__(auto &e) { e.x = 0; }); // refused: RL-R05
}
