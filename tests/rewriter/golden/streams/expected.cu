// Streams and events: chunks of an array travel and are worked on at the same time.
#include <cstdio>

struct Wave {
  float height;
  float speed;
  short kind;
};
#include "wave_layout.h"

__constant__ Wave coefficients[4]; // an array of its own, not rewritten

__global__ void advance(WaveView waves, ConstWaveView before, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  ConstWaveView old = before + i;
  WaveView wave = waves + i;
  wave.speed() = old.speed() - 0.1f * old.height() + coefficients[i % 4].speed;
  wave.height() = old.height() + 0.1f * wave.speed();
  wave.kind() = old.kind() ^ coefficients[i % 4].kind;
}

int main() {
  const int count = 1000, chunk = 250;
  Wave *host = nullptr;
  cudaMallocHost((void **)&host, count * sizeof(Wave));
  Wave table[4] = {};
  for (int n = 0; n < 4; ++n) {
    table[n].speed = n * 0.25f;
    table[n].kind = n;
  }
  for (int i = 0; i < count; ++i)
    host[i] = Wave{i * 0.5f, 1.0f / (1 + i), (short)(i % 7)};
  cudaMemcpyToSymbol(coefficients, table, sizeof(table));
  cudaStream_t streams[2];
  for (cudaStream_t &stream : streams)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  WaveView a, b;
  waveMallocAsync(&a, count * sizeof(Wave), streams[0]);
  waveMallocAsync(&b, count * sizeof(Wave), streams[0]);
  waveMemsetAsync(b, 0, count * sizeof(Wave), streams[0]);
  cudaEvent_t ready;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventRecord(ready, streams[0]);
  cudaStreamWaitEvent(streams[1], ready, 0);
  for (int n = 0; n < count / chunk; ++n) {
    cudaStream_t stream = streams[n % 2];
    const int first = n * chunk;
    waveMemcpyAsync(a + first, host + first, chunk * sizeof(Wave), cudaMemcpyHostToDevice, stream);
    for (int step = 0; step < 3; ++step) {
      advance<<<4, 64, 0, stream>>>(b + first, a + first, chunk);
      waveMemcpyAsync(a + first, b + first, chunk * sizeof(Wave), cudaMemcpyDeviceToDevice, stream);
    }
    waveMemcpyAsync(host + first, a + first, chunk * sizeof(Wave), cudaMemcpyDeviceToHost, stream);
  }
  cudaEventRecord(ready, streams[1]);
  cudaStreamWaitEvent(streams[0], ready, 0);
  waveFreeAsync(a, streams[0]);
  waveFreeAsync(b, streams[0]);
  double sum = 0;
  for (cudaStream_t stream : streams)
    cudaStreamSynchronize(stream);
  for (int i = 0; i < count; ++i)
    sum += host[i].height * (i % 3) + host[i].speed + host[i].kind;
  std::printf("%.9g\n", sum);
  cudaEventDestroy(ready);
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  cudaFreeHost(host);
}
