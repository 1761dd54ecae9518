#include <cstdio>

struct Complex {
  double r, i;
};

struct Pole {
  Complex place, weight;
};
#include "pole_layout.h"

template <class Poles> __device__ double total(Poles poles, int n);

__global__ void evaluate(ConstPoleView poles, double *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sums[i] = total(poles, i);
}

// What these call is found by the arguments' types, wherever it stands.
template <class Poles> __device__ double total(Poles poles, int n) {
  double sum = 0;
  for (int i = 0; i <= n; ++i)
    sum += term(poles, i, 0.5);
  return sum;
}

template <class Poles, class Scale> __device__ double term(Poles poles, int i, Scale scale) {
  Pole first = poles[0];
  return first.weight.i + factor(poles, i, scale);
}

template <class Poles, class Scale> __device__ double factor(Poles poles, int i, Scale scale) {
  Complex parts[2];
  Pole pole = poles[i];
  split(pole.place.r, scale, parts);
  return pole.weight.r * parts[0].r + parts[1].r;
}

__device__ double factor(ConstPoleView poles, int i, double scale);

__device__ double term(ConstPoleView poles, int i, double scale) {
  Pole first = poles.load(0);
  return first.weight.i + factor(poles, i, scale);
}

template <class Scale> __device__ void split(double e, Scale scale, Complex *parts) {
  parts[0] = {e * scale, 0};
  parts[1] = {e - scale, 0};
}

__device__ double factor(ConstPoleView poles, int i, double scale) {
  Complex parts[2];
  Pole pole = poles.load(i);
  split(pole.place.r, scale, parts);
  return pole.weight.r * parts[0].r + parts[1].r;
}

int main() {
  const int n = 64;
  Pole host[n];
  double sums[n], *onDevice;
  for (int i = 0; i < n; ++i)
    host[i] = {{1.0 * i, 2}, {0.25 * i, 3}};
  PoleView poles;
  poleMalloc(&poles, sizeof host);
  cudaMalloc(&onDevice, sizeof sums);
  poleMemcpy(poles, host, sizeof host, cudaMemcpyHostToDevice);
  evaluate<<<2, 32>>>(poles, onDevice, n);
  cudaMemcpy(sums, onDevice, sizeof sums, cudaMemcpyDeviceToHost);
  std::printf("%g\n", sums[n - 1]);
  poleFree(poles);
  cudaFree(onDevice);
}
