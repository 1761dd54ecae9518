#include <cstdio>
#include <cstdlib>
typedef struct {
  float4 *pos, *vel;
} BodySystem;
__global__ void force(float4 *p, float4 *v, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    v[i].x += dt * p[i].x;
    v[i].y += dt * p[i].y;
  }
}
int main() {
  int n = 64, bytes = 2 * n * sizeof(float4);
  float *buf = (float *)malloc(bytes);
  BodySystem p = {(float4 *)buf, ((float4 *)buf) + n};
  for (int i = 0; i < 8 * n; ++i)
    buf[i] = i;
  float *d_buf;
  cudaMalloc(&d_buf, bytes);
  BodySystem d_p = {(float4 *)d_buf, ((float4 *)d_buf) + n};
  cudaMemcpy(d_buf, buf, bytes, cudaMemcpyHostToDevice);
  force<<<2, 32>>>(d_p.pos, d_p.vel, 0.1f, n);
  cudaMemcpy(buf, d_buf, bytes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    p.pos[i].x += p.vel[i].x;
  printf("%g\n", p.pos[3].x);
  cudaFree(d_buf);
  free(buf);
}
