// A macro that is defined if it is not yet is no include guard: headers do not go inside.
#ifndef BLOCK
#define BLOCK 64
#endif
#include "float3_layout.h"

__global__ void fade(Float3View colours, int count) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count)
    colours.y(i) *= 0.5f;
}

int main() {
  const int count = 100;
  float3 host[count];
  Float3View colours;
  for (int i = 0; i < count; ++i)
    host[i] = make_float3(i, 2 * i, 1);
  float3Malloc(&colours, count * sizeof(float3));
  float3Memcpy(colours, host, count * sizeof(float3), cudaMemcpyHostToDevice);
  fade<<<2, BLOCK>>>(colours, count);
  float3Memcpy(host, colours, count * sizeof(float3), cudaMemcpyDeviceToHost);
  float3Free(colours);
  return host[4].y == 4 ? 0 : 1;
}
