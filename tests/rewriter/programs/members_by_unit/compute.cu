#include "compute.cuh"
__global__ void force(Array2D<float4> f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < n; ++j) {
      f(i, j).x = i;
      f(i, j).y = j;
    }
}
__global__ void sum(const Array2D<float4> f, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = 0;
    for (int j = 0; j < n; ++j)
      s += f(i, j).x;
    out[i] = s;
  }
}
