#include "points.h"

__global__ void shiftKernel(float4 *points, const float4 *by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  points[i].x += by[i].x;
  points[i].w -= by[i].y;
}

void shift(float4 *points, const float4 *by, int n) {
  shiftKernel<<<(n + 31) / 32, 32>>>(points, by, n);
}
