// Views and other things declared side by side.
#include <cstdio>
#include <cstdlib>

struct Drop {
  float size, speed;
};
#include "drop_layout.h"

__global__ void merge(ConstDropView in, DropView out) {
  ConstDropView next = in + 1;
  const Drop copy = next.load();
  const DropView first = out;
  DropView // the largest
      second = out + 1;
  first.size() = copy.size;
  second.speed(1) = next.speed();
}

struct Cloud {
  DropView drops;
  Drop nucleus;
};

int main() {
  const int n = 64;
  Drop *host = (Drop *)std::calloc(n, sizeof(Drop));
  DropView device;
  DropView out = nullptr;
  Drop one = {1, 2};
  for (int i = 0; i < n; ++i)
    host[i] = {one.size + i, one.speed - i};
  dropMalloc(&device, n * sizeof(Drop));
  dropMalloc(&out, n * sizeof(Drop));
  Cloud cloud = {device, host[3]};
  dropMemcpy(cloud.drops, host, n * sizeof(Drop), cudaMemcpyHostToDevice);
  dropMemcpy(out, host, n * sizeof(Drop), cudaMemcpyHostToDevice);
  merge<<<1, 1>>>(cloud.drops, out);
  dropMemcpy(host, out, n * sizeof(Drop), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", host[0].size, host[2].speed, cloud.nucleus.size);
  dropFree(device);
  dropFree(out);
}
