// Macros that are named as what the generated header uses inside.
// clang-format off
#include <cstdio>
#include <cuda_runtime.h>

#define n 64
#define count (n / 2)
#define bytes(x) ((x) * 2)
#define element 7
#define real double
#define bool int

struct Wave {
  real height;
  float speed;
  char mark;
};
#include "wave_layout.h"

__global__ void step(WaveView waves) {
  const int i = threadIdx.x;
  if (i < n && i != element)
    waves.height(i) += waves.speed(i) * bytes(i);
}

int main() {
  Wave host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {1.0 * i, 2.0f, 'w'};
  WaveView waves;
  waveMalloc(&waves, sizeof(host));
  waveMemcpy(waves, host, n * sizeof(Wave), cudaMemcpyHostToDevice);
  step<<<1, n>>>(waves);
  waveMemcpy(host, waves, count * sizeof(Wave), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[3].height, host[count].height);
  waveFree(waves);
}
