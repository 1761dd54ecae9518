// R soa
struct R {
  float x, y;
};

__host__ __device__ float sum(const R *p) { return p->x + p->y; } // refused: RL-R03

__global__ void k(R *p, int split) {
  __shared__ R tile[32];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  const R *one = threadIdx.x < split ? &tile[31 - threadIdx.x] : &p[threadIdx.x];
  p[threadIdx.x].x = sum(one) + sum(&tile[threadIdx.x]);
}

int main() {
  R *p, host = {1, 2};
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 32>>>(p, 7);
  return sum(&host) > 3;
}
