// Managed records whose members are pointers that CUDA sets.
#include <cstdio>

struct Image {
  double *pixels;
  float *weights;
  int label;
};

__global__ void darken(Image *images, int count, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  for (int j = 0; j < size; ++j)
    images[i].pixels[j] *= 0.5 * images[i].weights[0];
  images[i].label += 1;
}

void generate(Image images[], int count, int size) {
  for (int i = 0; i < count; ++i) {
    cudaMallocManaged(&(images[i].pixels), size * sizeof(double));
    Image &image = images[i];
    if (cudaMallocManaged((void **)&image.weights, sizeof(float)) != cudaSuccess)
      return;
    for (int j = 0; j < size; ++j)
      images[i].pixels[j] = i + j;
    image.weights[0] = 1.5f;
    images[i].label = i % 3;
  }
}

int main() {
  const int count = 40, size = 6;
  Image *images;
  double *seen;
  cudaMallocManaged(&images, count * sizeof(Image));
  cudaMalloc(&seen, count * size * sizeof(double));
  generate(images, count, size);
  darken<<<1, 64>>>(images, count, size);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += images[i].pixels[size - 1] + images[i].label;
    cudaFree(images[i].pixels);
    cudaFree(images[i].weights);
  }
  std::printf("%f\n", sum);
  cudaFree(images);
  cudaFree(seen);
}
