// R soa|Padded soa
// Memory of another type is the host's only if the direction says so, and has all bytes of a record
// only if there is no padding.
struct R {
  float x, y;
};
struct Padded {
  char tag;
  float x;
};

__global__ void k(R *p, Padded *q) {
  p[0].x = 1;
  q[0].x = 2;
}

int main() {
  R *p;
  Padded *q;
  float h[128];
  cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&q, 64 * sizeof(Padded));
  k<<<1, 1>>>(p, q);
  cudaMemcpy(h, p, sizeof(h), cudaMemcpyDefault);      // refused: RL-R08
  cudaMemcpy(h, p, sizeof(h), kind);                   // refused: RL-R08
  cudaMemcpy(p, h, sizeof(h), cudaMemcpyDeviceToHost); // refused: RL-R08
  cudaMemcpy(h, q, sizeof(h), cudaMemcpyDeviceToHost); // refused: RL-R08
}
