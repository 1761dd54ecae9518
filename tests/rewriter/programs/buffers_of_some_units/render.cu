#include "buffer.cuh"
#include "pixel.h"

__global__ void shade(Pixel *pixels, int *order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  pixels[i].red = 0.5f * i;
  pixels[i].green = 1;
  pixels[i].blue = float(i % 3);
  pixels[i].hits = i % 5;
  order[i] = i;
}

void render(Pixel *pixels, int n) {
  Buffer<Pixel> image(n);
  Buffer<int> order(n);
  shade<<<(n + 63) / 64, 64>>>(image.get(), order.get(), n);
  image.copyTo(pixels);
}
