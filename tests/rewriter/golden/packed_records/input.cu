// Members of a packed record lie as their types ask for in the planes.
#include <cstdio>
#include <cuda_runtime.h>

#pragma pack(push, 1)
struct Sample {
  char mark;
  double value;
  short kind;
  int count;
};
#pragma pack(pop)

__global__ void step(Sample *samples, int n) {
  const int i = threadIdx.x;
  if (i < n && samples[i].mark == 'a') {
    samples[i].value *= samples[i].kind;
    samples[i].count++;
  }
}

int main() {
  const int n = 16;
  Sample host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {i % 3 == 0 ? 'b' : 'a', 0.5 * i, static_cast<short>(i), i};
  Sample *samples;
  cudaMalloc(&samples, sizeof(host));
  cudaMemcpy(samples, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<1, n>>>(samples, n);
  cudaMemcpy(host, samples, sizeof(host), cudaMemcpyDeviceToHost);
  for (const Sample &sample : host)
    std::printf("%c %g %d %d\n", sample.mark, sample.value, sample.kind, sample.count);
  cudaFree(samples);
}
