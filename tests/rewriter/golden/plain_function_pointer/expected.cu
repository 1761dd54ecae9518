// A kernel that a pointer leads to, with a plain array whose elements are in another order.
#include <cstdio>

#include "double_layout.h"

__global__ void scale(DoubleView u, int n) {
  const int i = threadIdx.x;
  for (int k = 0; k < 4; ++k)
    u[i * 4 + k] *= n + k;
}

__global__ void shift(DoubleView u, int n) { u[threadIdx.x] += n; }

int main(int argc, char **) {
  const int n = 64;
  double host[4 * n];
  DoubleView u;
  for (int i = 0; i < 4 * n; ++i)
    host[i] = 0.5 * i;
  doubleMalloc(&u, 4 * n * sizeof(double));
  doubleMemcpy(u, host, sizeof(host), cudaMemcpyHostToDevice);
  void (*launched)(DoubleView, int) = argc > 1 ? shift : scale;
  launched<<<1, n>>>(u, 3);
  doubleMemcpy(host, u, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[7], host[4 * n - 1]);
}
