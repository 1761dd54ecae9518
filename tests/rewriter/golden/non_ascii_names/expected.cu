// Names outside of ASCII, in comments, strings and host code.
#include <cstdio>
#include <cuda_runtime.h>

struct Size { // Länge in µm
  float height;
  int count;
};
#include "size_layout.h"

__global__ void raise(SizeView größen, int n) {
  const int i = threadIdx.x;
  if (i < n) /* für alle */
    größen.height(i) += größen.count(i); // größer
}

int main() {
  Size host[32];
  for (int i = 0; i < 32; ++i)
    host[i] = {1.0f * i, i};
  SizeView größen;
  Size *leere = nullptr;
  sizeMalloc(&größen, sizeof(host));
  sizeMemcpy(größen, host, 32 * sizeof(Size), cudaMemcpyHostToDevice);
  raise<<<1, 32>>>(größen, 32);
  sizeMemcpy(host, größen, 32 * sizeof(Size), cudaMemcpyDeviceToHost);
  std::printf("Höhe %g\n", host[3].height);
  sizeFree(größen);
  cudaFree(leere);
}
