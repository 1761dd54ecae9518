// A kernel that a pointer leads to, with a plain array whose elements are in another order.
#include <cstdio>

__global__ void scale(double *u, int n) {
  const int i = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    u[i * 4 + k] *= n + k;
}

__global__ void shift(double *u, int n) { u[threadIdx.x] += n; }

int main(int argc, char **) {
  const int n = 64;
  double host[4 * n], *u;
  for (int i = 0; i < 4 * n; ++i)
    host[i] = 0.5 * i;
  cudaMalloc(&u, 4 * n * sizeof(double));
  cudaMemcpy(u, host, sizeof(host), cudaMemcpyHostToDevice);
  void (*launched)(double *, int) = argc > 1 ? shift : scale;
  launched<<<1, n>>>(u, 3);
  cudaMemcpy(host, u, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[7], host[4 * n - 1]);
}
