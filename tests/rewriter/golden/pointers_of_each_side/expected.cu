#include <cstdio>
#include <cstring>

struct Star {
  float x, y;
  float light;
};
#include "star_layout.h"

// Both sides call it.
__host__ __device__ float brightest(ConstStarView stars, int count, float at) {
  float most = 0;
  for (int i = 0; i < count; ++i) {
    float seen = stars.light(i) / (1 + (stars.x(i) - at) * (stars.x(i) - at));
    most = seen > most ? seen : most;
  }
  return most;
}

float brightest_host(const Star *stars, int count, float at) {
  float most = 0;
  for (int i = 0; i < count; ++i) {
    float seen = stars[i].light / (1 + (stars[i].x - at) * (stars[i].x - at));
    most = seen > most ? seen : most;
  }
  return most;
}

void drawOnHost(float *image, int width, const Star *stars, int count) {
  for (int i = 0; i < width; ++i)
    image[i] = brightest_host(stars, count, i);
}

__global__ void drawOnDevice(float *image, int width, ConstStarView stars, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width)
    image[i] = brightest(stars, count, i);
}

// One pointer for each side: this is one function.
void draw(bool onHost, float *image, float *deviceImage, int width, const Star *stars,
          ConstStarView deviceStars, int count) {
  if (onHost) {
    drawOnHost(image, width, stars, count);
    return;
  }
  drawOnDevice<<<(width + 127) / 128, 128>>>(deviceImage, width, deviceStars, count);
  cudaMemcpy(image, deviceImage, width * sizeof(float), cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv) {
  const int width = 256, count = 100;
  Star stars[count];
  for (int i = 0; i < count; ++i)
    stars[i] = {float(i * 7 % width), float(i), 1.0f + i % 3};
  float *image = new float[width], *deviceImage;
  StarView deviceStars;
  cudaMalloc(&deviceImage, width * sizeof(float));
  starMalloc(&deviceStars, count * sizeof(Star));
  starMemcpy(deviceStars, stars, count * sizeof(Star), cudaMemcpyHostToDevice);
  draw(argc > 1 && strcmp(argv[1], "host") == 0, image, deviceImage, width, stars, deviceStars,
       count);
  printf("%g %g\n", image[3], image[200]);
  cudaFree(deviceImage);
  starFree(deviceStars);
  delete[] image;
}
