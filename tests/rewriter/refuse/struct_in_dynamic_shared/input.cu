// P soa
#include <cstdio>
struct P { float x, y; };
struct Job { P *p; long n; };
__global__ void k(P *p, int n) {
  extern __shared__ Job tab[]; // refused: RL-R10
  int i = threadIdx.x;
  tab[i] = Job{p + i, i};
  __syncthreads();
  tab[n - 1 - i].p->x += tab[i].n;
  tab[i].p->y += 1;
}
int main() {
  P h[64] = {}, *p;
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  k<<<1, 64, 64 * 16>>>(p, 64);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  double s = 0, t = 0; for (P &e : h) s += e.x, t += e.y;
  printf("%g %g\n", s, t);
  cudaFree(p);
}
