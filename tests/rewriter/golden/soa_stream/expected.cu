// A streaming update that touches two of five fields.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::printf("%s: %s\n", #call, cudaGetErrorString(status));                                  \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

struct Sample {
  float value; // what the sensor said
  float gain;
  int channel;
  double time;
  unsigned char flags[4];
}; // 32 bytes
#include "sample_layout.h"

__global__ void scale(SampleView samples, int count, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    samples.value(i) = samples.value(i) * factor + samples.gain(i);
}

__global__ void mark(ConstSampleView samples, SampleView out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    out.flags(i)[samples.channel(i) & 3] |= 1u << (samples.channel(i) & 7);
    out.time(i) += 0.5; /* half a tick */
  }
}

int main() {
  const int count = 1000;
  std::vector<Sample> host(count);
  for (int i = 0; i < count; ++i)
    host[i] = {i * 0.25f, 1.0f / (i + 1), i % 13, i * 1e-3, {1, 2, 3, 4}};
  SampleView device = nullptr, copy = nullptr;
  CHECK(sampleMalloc(&device, count * sizeof(Sample)));
  CHECK(sampleMalloc(&copy, count * sizeof(Sample)));
  CHECK(sampleMemcpy(device, host.data(), count * sizeof(Sample), cudaMemcpyHostToDevice));
  CHECK(sampleMemset(copy, 0, count * sizeof(Sample)));
  CHECK(sampleMemcpy(copy + 10, device + 20, 30 * sizeof(Sample), cudaMemcpyDeviceToDevice));
  scale<<<(count + 127) / 128, 128>>>(device, count, 3.0f);
  mark<<<4, 64>>>(device, copy, count);
  CHECK(cudaGetLastError());
  CHECK(sampleMemcpy(host.data() + 5, copy + 5, 100 * sizeof(Sample), cudaMemcpyDeviceToHost));
  CHECK(sampleMemcpy(&host[500], device + 500, 500 * sizeof(Sample), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const Sample &s : host)
    sum += s.value + s.gain + s.channel + s.time + s.flags[0] + s.flags[1] * 2 + s.flags[2] * 3;
  std::printf("%.9g\n", sum);
  CHECK(sampleFree(device));
  CHECK(sampleFree(copy));
}
