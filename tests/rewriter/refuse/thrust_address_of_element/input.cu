// R soa
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

struct AddressOf {
  __host__ __device__ int operator()(const R &r) const { return reinterpret_cast<unsigned long long>(&r) % 3; } // refused: RL-R04
};

int main() {
  R *r;
  int *to;
  cudaMalloc(&r, 64 * sizeof(R));
  cudaMalloc(&to, 64 * sizeof(int));
  k<<<1, 64>>>(r);
  thrust::transform(thrust::device, r, r + 64, to, AddressOf{});
}
