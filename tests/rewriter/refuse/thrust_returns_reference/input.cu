// R soa
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

struct Larger {
  __host__ __device__ const R &operator()(const R &a, const R &b) const { // refused: RL-R05
    return a.x < b.x ? b : a;
  }
};

int main() {
  R *r;
  cudaMalloc(&r, 64 * sizeof(R));
  k<<<1, 64>>>(r);
  return thrust::reduce(thrust::device, r, r + 64, R{0, 0}, Larger()).x > 0;
}
