// A record that units in C read as well.
#include <cstdio>
#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sample {
  float re, im;
  int hits;
} sample_t;
#ifdef __cplusplus
} // extern "C"
#include "sample_layout.h"
extern "C" {
#endif

void print(const sample_t *samples, int n);

#ifdef __cplusplus
}
#endif

extern "C" {
struct Window {
  double low, high;
};
}
#include "window_layout.h"

extern "C" __global__ void turn(SampleView samples, ConstWindowView windows, int n) {
  const int i = threadIdx.x;
  if (i >= n || samples.re(i) < windows.low(i % 2))
    return;
  const float re = samples.re(i);
  samples.re(i) = -samples.im(i);
  samples.im(i) = re;
  ++samples.hits(i);
}

void print(const sample_t *samples, int n) {
  for (int i = 0; i < n; ++i)
    std::printf("%g %g %d\n", samples[i].re, samples[i].im, samples[i].hits);
}

int main() {
  const int n = 16;
  sample_t host[n];
  Window bounds[2] = {{3, 9}, {5, 9}};
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f * i, 0.5f * i, 0};
  SampleView samples;
  WindowView windows;
  sampleMalloc(&samples, sizeof(host));
  windowMalloc(&windows, sizeof(bounds));
  sampleMemcpy(samples, host, sizeof(host), cudaMemcpyHostToDevice);
  windowMemcpy(windows, bounds, sizeof(bounds), cudaMemcpyHostToDevice);
  turn<<<1, n>>>(samples, windows, n);
  sampleMemcpy(host, samples, sizeof(host), cudaMemcpyDeviceToHost);
  print(host, n);
  sampleFree(samples);
  windowFree(windows);
}
