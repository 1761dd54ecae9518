// Templates that another unit defines, and instantiates explicitly.
#include "memory.cuh"

#include <cstdio>

__global__ void fall(Drop *drops, Drop *fallen, const float *wind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    fallen[i].x = drops[i].x + wind[i % 4];
    fallen[i].y = drops[i].y - drops[i].speed;
  }
}

int main() {
  const int n = 256;
  Drop host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {1.f * i, 2, 0.5f, 1};
  float gusts[4] = {1, 2, 3, 4};
  Drop *drops = upload<Drop>(host, n);
  Drop *fallen = zeroed<Drop>(n);
  float *wind = upload<float>(gusts, 4);
  shapes::scale<Drop, 64><<<1, 256>>>(drops, 3);
  shapes::scale<Drop, 256><<<1, 256>>>(drops, 2);
  fall<<<1, 256>>>(drops, fallen, wind, n);
  download(host, fallen);
  std::printf("%g %g\n", host[3].x, host[99].y);
  cudaFree(drops);
  cudaFree(fallen);
  cudaFree(wind);
}
