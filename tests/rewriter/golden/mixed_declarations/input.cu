// Views and other things declared side by side.
#include <cstdio>
#include <cstdlib>

struct Drop {
  float size, speed;
};

__global__ void merge(const Drop *in, Drop *out) {
  const Drop *next = in + 1, copy = *next;
  Drop *const first = out, // the largest
      *second = out + 1;
  first->size = copy.size;
  second[1].speed = next->speed;
}

struct Cloud {
  Drop *drops, nucleus;
};

int main() {
  const int n = 64;
  Drop *host = (Drop *)std::calloc(n, sizeof(Drop)), *device, *out = nullptr, one = {1, 2};
  for (int i = 0; i < n; ++i)
    host[i] = {one.size + i, one.speed - i};
  cudaMalloc(&device, n * sizeof(Drop));
  cudaMalloc(&out, n * sizeof(Drop));
  Cloud cloud = {device, host[3]};
  cudaMemcpy(cloud.drops, host, n * sizeof(Drop), cudaMemcpyHostToDevice);
  cudaMemcpy(out, host, n * sizeof(Drop), cudaMemcpyHostToDevice);
  merge<<<1, 1>>>(cloud.drops, out);
  cudaMemcpy(host, out, n * sizeof(Drop), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", host[0].size, host[2].speed, cloud.nucleus.size);
  cudaFree(device);
  cudaFree(out);
}
