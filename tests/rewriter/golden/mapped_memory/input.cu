// Page-locked host memory: arrays that kernels reach are rewritten, those that are only copied from
// and to are host memory.
#include <cstdio>

struct Sample {
  float value;
  float gain;
  long time;
}; // 16 bytes

__global__ void scale(Sample *samples, const Sample *factors, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    samples[i].value *= factors[i].gain;
}

int main() {
  const int count = 300;
  Sample *mapped, *mappedOnDevice, *factors, *array, *staging;
  cudaHostAlloc(&mapped, count * sizeof(Sample), cudaHostAllocMapped);
  cudaHostGetDevicePointer((void **)&mappedOnDevice, (void *)mapped, 0);
  cudaMallocHost((void **)&factors, count * sizeof(Sample));
  cudaMalloc(&array, count * sizeof(Sample));
  cudaMallocHost(&staging, count * sizeof(Sample));
  for (int i = 0; i < count; ++i) {
    mapped[i] = {float(i), 1, i};
    factors[i].gain = 2.0f + i % 3;
    staging[i] = {1.0f + i, 2, -i};
  }
  cudaMemcpy(array, staging, count * sizeof(Sample), cudaMemcpyHostToDevice);
  scale<<<3, 128>>>(mappedOnDevice, factors, count);
  scale<<<3, 128>>>(array, factors, count);
  cudaDeviceSynchronize();
  cudaMemcpy(staging, array, count * sizeof(Sample), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += mapped[i].value + staging[i].value * mapped[i].time;
  std::printf("%.9g\n", sum);
  cudaFreeHost(mapped);
  cudaFreeHost(factors);
  cudaFreeHost(staging);
  cudaFree(array);
}
