// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p, *q;
  R h[64];
  cudaMalloc(&p, sizeof(h));
  cudaMallocAsync(&q, sizeof(h), 0);
  k<<<1, 1>>>(p);
  k<<<1, 1>>>(q);
  cudaMemcpy2DAsync(h, 8, p, 8, 8, 64, cudaMemcpyDeviceToHost, 0); // refused: RL-R08
}
