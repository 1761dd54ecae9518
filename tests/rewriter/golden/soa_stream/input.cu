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

__global__ void scale(Sample *samples, int count, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    samples[i].value = samples[i].value * factor + samples[i].gain;
}

__global__ void mark(const Sample *__restrict__ samples, Sample *out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    out[i].flags[samples[i].channel & 3] |= 1u << (samples[i].channel & 7);
    out[i].time += 0.5; /* half a tick */
  }
}

int main() {
  const int count = 1000;
  std::vector<Sample> host(count);
  for (int i = 0; i < count; ++i)
    host[i] = {i * 0.25f, 1.0f / (i + 1), i % 13, i * 1e-3, {1, 2, 3, 4}};
  Sample *device = nullptr, *copy = nullptr;
  CHECK(cudaMalloc(&device, count * sizeof(Sample)));
  CHECK(cudaMalloc((void **)&copy, count * sizeof(*copy)));
  CHECK(cudaMemcpy(device, host.data(), count * sizeof(Sample), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(copy, 0, count * sizeof(Sample)));
  CHECK(cudaMemcpy(copy + 10, device + 20, 30 * sizeof(Sample), cudaMemcpyDeviceToDevice));
  scale<<<(count + 127) / 128, 128>>>(device, count, 3.0f);
  mark<<<4, 64>>>(device, copy, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host.data() + 5, copy + 5, 100 * sizeof(Sample), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&host[500], &device[500], 500 * sizeof(Sample), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const Sample &s : host)
    sum += s.value + s.gain + s.channel + s.time + s.flags[0] + s.flags[1] * 2 + s.flags[2] * 3;
  std::printf("%.9g\n", sum);
  CHECK(cudaFree(device));
  CHECK(cudaFree((void *)copy));
}
