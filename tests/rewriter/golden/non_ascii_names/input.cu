// Names outside of ASCII, in comments, strings and host code.
#include <cstdio>
#include <cuda_runtime.h>

struct Size { // Länge in µm
  float height;
  int count;
};

__global__ void raise(Size *größen, int n) {
  const int i = threadIdx.x;
  if (i < n) /* für alle */
    größen[i].height += größen[i].count; // größer
}

int main() {
  Size host[32];
  for (int i = 0; i < 32; ++i)
    host[i] = {1.0f * i, i};
  Size *größen, *leere = nullptr;
  cudaMalloc(&größen, sizeof(host));
  cudaMemcpy(größen, host, 32 * sizeof(Size), cudaMemcpyHostToDevice);
  raise<<<1, 32>>>(größen, 32);
  cudaMemcpy(host, größen, 32 * sizeof(Size), cudaMemcpyDeviceToHost);
  std::printf("Höhe %g\n", host[3].height);
  cudaFree(größen);
  cudaFree(leere);
}
