// Templates whose parameter is no record: it names the record.
// clang-format off
#include <cstdio>

struct Wave {
  float height, speed;
  int mark;
};
#include "wave_layout.h"

struct Pool { typedef Wave Element; using Sum = float; };

template <class M> __global__ void step(typename M::Element *a, const typename M::Element *b, typename M::Sum *sums, int n) {
  int i = threadIdx.x;
  if (i < n) {
    typename M::Sum speed = b[i].speed;
    a[i].height += speed;
    a[i].mark = i;
    sums[i] = a[i].height;
  }
}

__global__ void step(WaveView a, ConstWaveView b, typename Pool::Sum *sums, int n) {
  int i = threadIdx.x;
  if (i < n) {
    typename Pool::Sum speed = b.speed(i);
    a.height(i) += speed;
    a.mark(i) = i;
    sums[i] = a.height(i);
  }
}

int main() {
  const int n = 64;
  Wave host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, i + 1.0f, 0};
  WaveView a, b;
  float *sums, out[n];
  waveMalloc(&a, n * sizeof(Wave));
  waveMalloc(&b, n * sizeof(Wave));
  cudaMalloc(&sums, n * sizeof(float));
  waveMemcpy(a, host, n * sizeof(Wave), cudaMemcpyHostToDevice);
  waveMemcpy(b, host, n * sizeof(Wave), cudaMemcpyHostToDevice);
  step<<<1, n>>>(a, b, sums, n);
  cudaMemcpy(out, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
  waveMemcpy(host, a, n * sizeof(Wave), cudaMemcpyDeviceToHost);
  printf("%g %d\n", out[9], host[9].mark);
}
