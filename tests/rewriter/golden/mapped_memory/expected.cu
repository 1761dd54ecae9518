// Page-locked host memory: arrays that kernels reach are rewritten, those that are only copied from
// and to are host memory.
#include <cstdio>

struct Sample {
  float value;
  float gain;
  long time;
}; // 16 bytes
#include "sample_layout.h"

__global__ void scale(SampleView samples, ConstSampleView factors, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    samples.value(i) *= factors.gain(i);
}

int main() {
  const int count = 300;
  SampleView mapped;
  SampleView mappedOnDevice;
  SampleView factors;
  SampleView array;
  Sample *staging;
  sampleHostAlloc(&mapped, count * sizeof(Sample), cudaHostAllocMapped);
  sampleHostGetDevicePointer(&mappedOnDevice, mapped, 0);
  sampleMallocHost(&factors, count * sizeof(Sample));
  sampleMalloc(&array, count * sizeof(Sample));
  cudaMallocHost(&staging, count * sizeof(Sample));
  for (int i = 0; i < count; ++i) {
    mapped.store(i, {float(i), 1, i});
    factors.gain(i) = 2.0f + i % 3;
    staging[i] = {1.0f + i, 2, -i};
  }
  sampleMemcpy(array, staging, count * sizeof(Sample), cudaMemcpyHostToDevice);
  scale<<<3, 128>>>(mappedOnDevice, factors, count);
  scale<<<3, 128>>>(array, factors, count);
  cudaDeviceSynchronize();
  sampleMemcpy(staging, array, count * sizeof(Sample), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += mapped.value(i) + staging[i].value * mapped.time(i);
  std::printf("%.9g\n", sum);
  sampleFreeHost(mapped);
  sampleFreeHost(factors);
  cudaFreeHost(staging);
  sampleFree(array);
}
