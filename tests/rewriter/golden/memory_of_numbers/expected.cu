// Memory of numbers, which are cast to records where kernels use them.
#include <cstdio>
#include <cstdlib>

#include "float4_layout.h"

struct Body {
  float x, y, z, vx, vy, vz;
};
#include "body_layout.h"

struct System {
  Float4View pos, vel;
};

void randomize(float *values, int n) {
  for (int i = 0; i < n; ++i)
    values[i] = i % 17;
}

__global__ void force(BodyView p, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += p.x(j) - p.x(i);
  p.vx(i) += dt * sum;
}

__global__ void step(Float4View p, Float4View v, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p.x(i) += v.x(i) * dt;
    p.w(i) = v.y(i);
  }
}

int main() {
  const int n = 200;
  int bytes = n * sizeof(Body);
  float *buf = (float *)malloc(bytes);
  Body *p = (Body *)buf;
  randomize(buf, 6 * n);

  BodyView d_buf;
  bodyMalloc(&d_buf, bytes);
  BodyView d_p = d_buf;
  bodyMemcpy(d_buf, (Body *)buf, bytes, cudaMemcpyHostToDevice);
  force<<<2, 128>>>(d_p, 0.1f, n);
  bodyMemcpy((Body *)buf, d_buf, bytes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    p[i].x += p[i].vx * 0.1f;
  std::printf("%g %g\n", p[3].x, buf[1199]);

  int both = 2 * n * sizeof(float4);
  float *values = (float *)malloc(both);
  randomize(values, 8 * n);
  Float4View d_values = nullptr; // two arrays
  float4Malloc(&d_values, both);
  if (d_values == nullptr)
    return 1;
  System system = {d_values, (d_values) + n};
  float4Memcpy(d_values, (float4 *)values, both, cudaMemcpyHostToDevice);
  step<<<2, 128>>>(system.pos, system.vel, 0.1f, n);
  float4Memcpy((float4 *)values, d_values, both, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", values[12], values[799]);

  float *d_numbers; // used as what they are
  cudaMalloc(&d_numbers, both);
  cudaMemset(d_numbers, 0, both);
  cudaFree(d_numbers);
  float4Free(d_values);
  bodyFree(d_buf);
  free(values);
  free(buf);
}
