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

void print(const sample_t *samples, int n);

#ifdef __cplusplus
}
#endif

extern "C" {
struct Window {
  double low, high;
};
}

extern "C" __global__ void turn(sample_t *samples, const struct Window *windows, int n) {
  const int i = threadIdx.x;
  if (i >= n || samples[i].re < windows[i % 2].low)
    return;
  const float re = samples[i].re;
  samples[i].re = -samples[i].im;
  samples[i].im = re;
  ++samples[i].hits;
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
  sample_t *samples;
  Window *windows;
  cudaMalloc(&samples, sizeof(host));
  cudaMalloc(&windows, sizeof(bounds));
  cudaMemcpy(samples, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(windows, bounds, sizeof(bounds), cudaMemcpyHostToDevice);
  turn<<<1, n>>>(samples, windows, n);
  cudaMemcpy(host, samples, sizeof(host), cudaMemcpyDeviceToHost);
  print(host, n);
  cudaFree(samples);
  cudaFree(windows);
}
