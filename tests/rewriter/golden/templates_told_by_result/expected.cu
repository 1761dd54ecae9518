// Templates whose result alone says which record they are for.
// clang-format off
#include <cstdio>

struct Wave {
  float height, speed;
  int mark;
};
#include "wave_layout.h"

template <class T> T *alloc(size_t n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  return p;
}

WaveView waveAlloc(size_t n) {
  WaveView p;
  waveMalloc(&p, n * sizeof(Wave));
  return p;
}

template <typename T> T *toDevice(const T *host, size_t n) {
  T *p = alloc<T>(n);
  cudaMemcpy(p, host, n * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

WaveView toDevice(const Wave *host, size_t n) {
  WaveView p = waveAlloc(n);
  waveMemcpy(p, host, n * sizeof(Wave), cudaMemcpyHostToDevice);
  return p;
}

__global__ void step(WaveView a, ConstWaveView b, float *sums, int n) {
  int i = threadIdx.x;
  if (i < n) {
    a.height(i) += b.speed(i);
    a.mark(i) = i;
    sums[i] = a.height(i);
  }
}

int main() {
  const int n = 64;
  Wave host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, i + 1.0f, 0};
  WaveView a = waveAlloc(n), b = toDevice(host, n);
  float *sums = alloc<float>(n), out[n];
  waveMemcpy(a, b, n * sizeof(Wave), cudaMemcpyDeviceToDevice);
  step<<<1, n>>>(a, b, sums, n);
  cudaMemcpy(out, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
  waveMemcpy(host, a, n * sizeof(Wave), cudaMemcpyDeviceToHost);
  printf("%g %d\n", out[9], host[9].mark);
}
