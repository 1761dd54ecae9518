#include <cstdio>

struct Pixel {
  float r, g, b;
};
#include "pixel_layout.h"

struct Lens {
  float strength;
  int width;
};

__host__ __device__ inline float shifted(int x, const Lens *lens) { return x * lens->strength; }

// The lens is one object, and may lie on either side; of the pixels, those on the device change.
__host__ __device__ inline void sample(ConstPixelView from, float x, Pixel &result,
                                       const Lens *lens) {
  const Pixel pixel = from.load(int(x) % lens->width);
  result.r = pixel.r;
  result.g = pixel.g * 2;
  result.b = pixel.b;
}

inline void sample_host(const Pixel *from, float x, Pixel &result,
                                       const Lens *lens) {
  const Pixel pixel = from[int(x) % lens->width];
  result.r = pixel.r;
  result.g = pixel.g * 2;
  result.b = pixel.b;
}

__global__ void distort(ConstPixelView from, PixelView to, const Lens *lens) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < lens->width) {
    Pixel pixel;
    sample(from, shifted(x, lens), pixel, lens);
    to.store(x, pixel);
  }
}

void distortOnHost(const Pixel *from, Pixel *to, const Lens *lens) {
  for (int x = 0; x < lens->width; ++x) {
    Pixel pixel;
    sample_host(from, shifted(x, lens), pixel, lens);
    to[x] = pixel;
  }
}

int main() {
  Lens lens = {3, 64}, *onDevice;
  Pixel pixels[64];
  Pixel result[64];
  Pixel expected[64];
  PixelView from;
  PixelView to;
  for (int i = 0; i < 64; ++i)
    pixels[i] = {1.0f * i, 2.0f * i, 3};
  pixelMalloc(&from, sizeof pixels);
  pixelMalloc(&to, sizeof pixels);
  cudaMalloc(&onDevice, sizeof lens);
  pixelMemcpy(from, pixels, sizeof pixels, cudaMemcpyHostToDevice);
  cudaMemcpy(onDevice, &lens, sizeof lens, cudaMemcpyHostToDevice);
  distort<<<2, 32>>>(from, to, onDevice);
  pixelMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  distortOnHost(pixels, expected, &lens);
  std::printf("%g %g\n", result[5].g, expected[5].g);
  pixelFree(from);
  pixelFree(to);
  cudaFree(onDevice);
}
