// R soa
struct R {
  float x, y;
};

__global__ void k(R *p, R *q) {
  p[threadIdx.x].x += 1;
  if (threadIdx.x == 0)
    cudaMemcpyAsync(q, p, 4 * sizeof(R), cudaMemcpyDeviceToDevice, 0); // refused: RL-R08
}

int main() {
  R *p, *q;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&q, 64 * sizeof(R));
  k<<<1, 64>>>(p, q);
}
