#include <cstdio>

struct Pixel {
  float r, g, b;
};

struct Lens {
  float strength;
  int width;
};

__host__ __device__ inline float shifted(int x, const Lens *lens) { return x * lens->strength; }

// The lens is one object, and may lie on either side; of the pixels, those on the device change.
__host__ __device__ inline void sample(const Pixel *from, float x, Pixel &result,
                                       const Lens *lens) {
  const Pixel pixel = from[int(x) % lens->width];
  result.r = pixel.r;
  result.g = pixel.g * 2;
  result.b = pixel.b;
}

__global__ void distort(const Pixel *from, Pixel *to, const Lens *lens) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < lens->width) {
    Pixel pixel;
    sample(from, shifted(x, lens), pixel, lens);
    to[x] = pixel;
  }
}

void distortOnHost(const Pixel *from, Pixel *to, const Lens *lens) {
  for (int x = 0; x < lens->width; ++x) {
    Pixel pixel;
    sample(from, shifted(x, lens), pixel, lens);
    to[x] = pixel;
  }
}

int main() {
  Lens lens = {3, 64}, *onDevice;
  Pixel pixels[64], result[64], expected[64], *from, *to;
  for (int i = 0; i < 64; ++i)
    pixels[i] = {1.0f * i, 2.0f * i, 3};
  cudaMalloc(&from, sizeof pixels);
  cudaMalloc(&to, sizeof pixels);
  cudaMalloc(&onDevice, sizeof lens);
  cudaMemcpy(from, pixels, sizeof pixels, cudaMemcpyHostToDevice);
  cudaMemcpy(onDevice, &lens, sizeof lens, cudaMemcpyHostToDevice);
  distort<<<2, 32>>>(from, to, onDevice);
  cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  distortOnHost(pixels, expected, &lens);
  std::printf("%g %g\n", result[5].g, expected[5].g);
  cudaFree(from);
  cudaFree(to);
  cudaFree(onDevice);
}
