// Records that the host keeps as numbers or bytes.
#include <cstdio>
#include <vector>

#include "float3_layout.h"
#include "uchar3_layout.h"

struct Sample {
  float low, high;
};
#include "sample_layout.h"

__global__ void blur(Uchar3View image, ConstFloat3View light, SampleView samples, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  image.x(i) = (unsigned char)(image.x(i) * light.y(i));
  image.z(i) += 3;
  samples.high(i) = light.x(i) + samples.low(i);
}

int main() {
  const int n = 50;
  std::vector<float> light(3 * n);
  std::vector<unsigned char> pixels(3 * n);
  float host[2 * n];
  for (int i = 0; i < 3 * n; ++i) {
    light[i] = i % 3;
    pixels[i] = i;
    host[i % (2 * n)] = i;
  }
  Uchar3View image;
  Float3View lights;
  SampleView samples;
  uchar3Malloc(&image, n * sizeof(uchar3));
  float3Malloc(&lights, 3 * n * sizeof(float));
  sampleMalloc(&samples, sizeof(host));
  uchar3Memcpy(image, (uchar3 *)pixels.data(), pixels.size(), cudaMemcpyHostToDevice);
  float3Memcpy(lights, (float3 *)&light[0], 3 * n * sizeof(float), cudaMemcpyHostToDevice);
  sampleMemcpy(samples, ((Sample *)(host + 0)), sizeof(host), cudaMemcpyHostToDevice);
  blur<<<1, 64>>>(image, lights, samples, n);
  void *back = pixels.data();
  uchar3Memcpy((uchar3 *)back, image, 3 * n, cudaMemcpyDeviceToHost);
  sampleMemcpy((Sample *)host, samples, sizeof(host), cudaMemcpyDeviceToHost);
  sampleMemcpy((Sample *)(n > 9 ? host + 1 : host), samples, sizeof(Sample), cudaMemcpyDeviceToHost);
  std::printf("%d %d %g %g\n", pixels[3], pixels[5], host[1], host[99]);
  uchar3Free(image);
  float3Free(lights);
  sampleFree(samples);
}
