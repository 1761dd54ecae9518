// R soa
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>

struct R {
  float x, y;
};

struct Move {
  __host__ __device__ void operator()(R &r) const { r.x += r.y; } // refused: RL-R05
};

__global__ void k(R *r) {
  R local = r[threadIdx.x];
  Move()(local);
  r[threadIdx.x].x += local.x;
}

int main() {
  R *r;
  cudaMalloc(&r, 64 * sizeof(R));
  k<<<1, 64>>>(r);
  thrust::for_each(thrust::device, r, r + 64, Move());
}
