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
#include "sample_layout.h"
#pragma pack(pop)

__global__ void step(SampleView samples, int n) {
  const int i = threadIdx.x;
  if (i < n && samples.mark(i) == 'a') {
    samples.value(i) *= samples.kind(i);
    samples.count(i)++;
  }
}

int main() {
  const int n = 16;
  Sample host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {i % 3 == 0 ? 'b' : 'a', 0.5 * i, static_cast<short>(i), i};
  SampleView samples;
  sampleMalloc(&samples, sizeof(host));
  sampleMemcpy(samples, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<1, n>>>(samples, n);
  sampleMemcpy(host, samples, sizeof(host), cudaMemcpyDeviceToHost);
  for (const Sample &sample : host)
    std::printf("%c %g %d %d\n", sample.mark, sample.value, sample.kind, sample.count);
  sampleFree(samples);
}
