// R soa
#include <thrust/count.h>
#include <thrust/execution_policy.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

struct Positive {
  __host__ __device__ bool operator()(const R &r) const { return r.x > 0; }
};

int main() {
  R *r;
  cudaMallocManaged(&r, 64 * sizeof(R));
  k<<<1, 64>>>(r);
  cudaDeviceSynchronize();
  return thrust::count_if(r, r + 64, Positive()); // refused: RL-R05
}
