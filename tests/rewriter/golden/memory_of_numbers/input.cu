// Memory of numbers, which are cast to records where kernels use them.
#include <cstdio>
#include <cstdlib>

struct Body {
  float x, y, z, vx, vy, vz;
};

struct System {
  float4 *pos, *vel;
};

void randomize(float *values, int n) {
  for (int i = 0; i < n; ++i)
    values[i] = i % 17;
}

__global__ void force(Body *p, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += p[j].x - p[i].x;
  p[i].vx += dt * sum;
}

__global__ void step(float4 *p, float4 *v, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p[i].x += v[i].x * dt;
    p[i].w = v[i].y;
  }
}

int main() {
  const int n = 200;
  int bytes = n * sizeof(Body);
  float *buf = (float *)malloc(bytes);
  Body *p = (Body *)buf;
  randomize(buf, 6 * n);

  float *d_buf;
  cudaMalloc(&d_buf, bytes);
  Body *d_p = (Body *)d_buf;
  cudaMemcpy(d_buf, buf, bytes, cudaMemcpyHostToDevice);
  force<<<2, 128>>>(d_p, 0.1f, n);
  cudaMemcpy(buf, d_buf, bytes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    p[i].x += p[i].vx * 0.1f;
  std::printf("%g %g\n", p[3].x, buf[1199]);

  int both = 2 * n * sizeof(float4);
  float *values = (float *)malloc(both);
  randomize(values, 8 * n);
  char *d_values = nullptr; // two arrays
  cudaMalloc((void **)&d_values, both);
  if (d_values == nullptr)
    return 1;
  System system = {(float4 *)d_values, ((float4 *)d_values) + n};
  cudaMemcpy(d_values, values, both, cudaMemcpyHostToDevice);
  step<<<2, 128>>>(system.pos, system.vel, 0.1f, n);
  cudaMemcpy(values, d_values, both, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", values[12], values[799]);

  float *d_numbers; // used as what they are
  cudaMalloc(&d_numbers, both);
  cudaMemset(d_numbers, 0, both);
  cudaFree(d_numbers);
  cudaFree(d_values);
  cudaFree(d_buf);
  free(values);
  free(buf);
}
