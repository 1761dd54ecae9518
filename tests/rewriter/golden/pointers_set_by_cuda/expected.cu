// Managed records whose members are pointers that CUDA sets.
#include <cstdio>

struct Image {
  double *pixels;
  float *weights;
  int label;
};
#include "image_layout.h"

__global__ void darken(ImageView images, int count, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  for (int j = 0; j < size; ++j)
    images.pixels(i)[j] *= 0.5 * images.weights(i)[0];
  images.label(i) += 1;
}

void generate(ImageView images, int count, int size) {
  for (int i = 0; i < count; ++i) {
    cudaMallocManaged(&(images.pixels(i)), size * sizeof(double));
    ImageView image = images + i;
    if (cudaMallocManaged((void **)&image.weights(), sizeof(float)) != cudaSuccess)
      return;
    for (int j = 0; j < size; ++j)
      images.pixels(i)[j] = i + j;
    image.weights()[0] = 1.5f;
    images.label(i) = i % 3;
  }
}

int main() {
  const int count = 40, size = 6;
  ImageView images;
  double *seen;
  imageMallocManaged(&images, count * sizeof(Image));
  cudaMalloc(&seen, count * size * sizeof(double));
  generate(images, count, size);
  darken<<<1, 64>>>(images, count, size);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += images.pixels(i)[size - 1] + images.label(i);
    cudaFree(images.pixels(i));
    cudaFree(images.weights(i));
  }
  std::printf("%f\n", sum);
  imageFree(images);
  cudaFree(seen);
}
