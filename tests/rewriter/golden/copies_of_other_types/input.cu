// Records that the host keeps as numbers or bytes.
#include <cstdio>
#include <vector>

struct Sample {
  float low, high;
};

__global__ void blur(uchar3 *image, const float3 *light, Sample *samples, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  image[i].x = (unsigned char)(image[i].x * light[i].y);
  image[i].z += 3;
  samples[i].high = light[i].x + samples[i].low;
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
  uchar3 *image;
  float3 *lights;
  Sample *samples;
  cudaMalloc(&image, n * sizeof(uchar3));
  cudaMalloc(&lights, 3 * n * sizeof(float));
  cudaMalloc((void **)&samples, sizeof(host));
  cudaMemcpy(image, pixels.data(), pixels.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(lights, &light[0], 3 * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy((void *)samples, (const void *)(host + 0), sizeof(host), cudaMemcpyHostToDevice);
  blur<<<1, 64>>>(image, lights, samples, n);
  void *back = pixels.data();
  cudaMemcpy(back, image, 3 * n, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, samples, sizeof(host), cudaMemcpyDeviceToHost);
  cudaMemcpy(n > 9 ? host + 1 : host, samples, sizeof(Sample), cudaMemcpyDeviceToHost);
  std::printf("%d %d %g %g\n", pixels[3], pixels[5], host[1], host[99]);
  cudaFree(image);
  cudaFree(lights);
  cudaFree(samples);
}
