// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  R h[64];
  cudaMalloc(&p, sizeof(h));
  k<<<1, 1>>>(p);
  cudaMemcpyAsync(h, p, sizeof(h), cudaMemcpyDeviceToHost, 0); // refused: RL-R08
}
