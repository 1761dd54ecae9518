#include <cstdio>
#include <cstdlib>

#include "float4_layout.h"
typedef struct {
  float4 *pos, *vel;
} BodySystem;
typedef struct {
  Float4View pos, vel;
} BodySystemDevice;
__global__ void force(Float4View p, Float4View v, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    v.x(i) += dt * p.x(i);
    v.y(i) += dt * p.y(i);
  }
}
int main() {
  int n = 64, bytes = 2 * n * sizeof(float4);
  float *buf = (float *)malloc(bytes);
  BodySystem p = {(float4 *)buf, ((float4 *)buf) + n};
  for (int i = 0; i < 8 * n; ++i)
    buf[i] = i;
  Float4View d_buf;
  float4Malloc(&d_buf, bytes);
  BodySystemDevice d_p = {d_buf, (d_buf) + n};
  float4Memcpy(d_buf, (float4 *)buf, bytes, cudaMemcpyHostToDevice);
  force<<<2, 32>>>(d_p.pos, d_p.vel, 0.1f, n);
  float4Memcpy((float4 *)buf, d_buf, bytes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    p.pos[i].x += p.vel[i].x;
  printf("%g\n", p.pos[3].x);
  float4Free(d_buf);
  free(buf);
}
