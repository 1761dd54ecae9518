#include "../include/waves.h"
#include "drops.h"

static __global__ void step(Wave *waves, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    waves[i].height += waves[i].speed * waves[i].phase;
}

static __global__ void drop(const Wave *waves, Drop *drops, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    drops[i] = Drop{waves[i].height, 1.0, i % 3};
}

void move(Wave *waves, int count) { step<<<(count + 63) / 64, 64>>>(waves, count); }

/// Copies in this unit too, of both records.
int sumOfKinds() {
  Wave wave[100];
  Drop drops[100];
  for (int i = 0; i < 100; ++i)
    wave[i] = Wave{float(i), 1, 2};
  Wave *waves = nullptr;
  Drop *made = nullptr;
  cudaMalloc(&waves, sizeof(wave));
  cudaMalloc(&made, sizeof(drops));
  cudaMemcpy(waves, wave, sizeof(wave), cudaMemcpyHostToDevice);
  drop<<<2, 64>>>(waves, made, 100);
  cudaMemcpy(drops, made, sizeof(drops), cudaMemcpyDeviceToHost);
  cudaFree(waves);
  cudaFree(made);
  int sum = 0;
  for (const Drop &one : drops)
    sum += one.kind;
  return sum;
}
