// R soa
#include <cstring>
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p, *q, plain[64];
  cudaMallocManaged(&p, 64 * sizeof(R));
  cudaMallocManaged(&q, 64 * sizeof(R));
  memcpy(p, plain, 12);                                     // refused: RL-R08
  const bool copied = memcpy(p, plain, 64 * sizeof(R));     // refused: RL-R08
  memmove(p + 1, p, 8 * sizeof(R));                         // refused: RL-R08
  cudaMemcpy(p, q, 64 * sizeof(R), cudaMemcpyDeviceToHost); // refused: RL-R08
  k<<<1, 1>>>(p);
  return copied;
}
