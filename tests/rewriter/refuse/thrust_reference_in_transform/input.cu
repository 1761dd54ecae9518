// R soa
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

struct Step {
  __host__ __device__ float operator()(R &r) const { // refused: RL-R05
    return r.x += r.y;
  }
};

int main() {
  R *r;
  float *to;
  cudaMalloc(&r, 64 * sizeof(R));
  cudaMalloc(&to, 64 * sizeof(float));
  k<<<1, 64>>>(r);
  thrust::transform(thrust::device, r, r + 64, to, Step());
}
