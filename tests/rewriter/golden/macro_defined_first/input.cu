// A macro that is defined if it is not yet is no include guard: headers do not go inside.
#ifndef BLOCK
#define BLOCK 64
#endif

__global__ void fade(float3 *colours, int count) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count)
    colours[i].y *= 0.5f;
}

int main() {
  const int count = 100;
  float3 host[count], *colours;
  for (int i = 0; i < count; ++i)
    host[i] = make_float3(i, 2 * i, 1);
  cudaMalloc(&colours, count * sizeof(float3));
  cudaMemcpy(colours, host, count * sizeof(float3), cudaMemcpyHostToDevice);
  fade<<<2, BLOCK>>>(colours, count);
  cudaMemcpy(host, colours, count * sizeof(float3), cudaMemcpyDeviceToHost);
  cudaFree(colours);
  return host[4].y == 4 ? 0 : 1;
}
