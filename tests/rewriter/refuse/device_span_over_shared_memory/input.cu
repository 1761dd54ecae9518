// R soa
#include <span>

struct R {
  float x, y;
};

__device__ float sum(std::span<const R> all) {
  float sum = 0;
  for (const R &r : all)
    sum += r.x;
  return sum;
}

__global__ void k(std::span<R> r) {
  __shared__ R tile[64];
  tile[threadIdx.x] = r[threadIdx.x];
  __syncthreads();
  r[threadIdx.x].y = sum(tile) + sum(r);
}

int main() {
  R *d;
  cudaMalloc(&d, 64 * sizeof(R));
  std::span<R> r(d, 64); // refused: RL-R05
  k<<<1, 64>>>(r);
}
