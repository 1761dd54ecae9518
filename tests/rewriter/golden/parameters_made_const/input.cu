// Functions that take elements by reference and only read them.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

#define Tuple float2

__device__ float distance(Tuple & a, Tuple& b);

__device__ void move(Tuple &p, Tuple & v, float t) {
  p.x = p.x + v.x * t;
  p.y = p.y + v.y * t;
}

__device__ void bounce(Tuple & p, Tuple & v, Tuple & out) {
  out.x = (p.x < 0 || p.x > 8) ? -v.x : v.x;
  out.y = (p.y < 0 || p.y > 8) ? -v.y : v.y;
}

__device__ float distance(Tuple & a, Tuple& b) {
  Tuple &from = b;
  float dx = a.x - b.x, dy = a.y - (b).y;
  return dx * dx + dy * dy + 0 * from.x;
}

__device__ float near(float2 &a, float2 &b) {
  float dx = a.x - b.x;
  return dx * dx;
}

__device__ void collide(Tuple & p1, Tuple & v1, Tuple & p2, Tuple & v2, Tuple & out) {
  float dx = p2.x - p1.x, dy = p2.y - p1.y;
  float length = sqrtf(dx * dx + dy * dy) + 1;
  float across = (-v1.x * dy + v1.y * dx) / length;
  float along = (v2.x * dx + v2.y * dy) / length;
  out.x = along * dx - across * dy;
  out.y = along * dy + across * dx;
}

__global__ void step(Tuple positions[], Tuple velocities[], int n, float t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  bounce(positions[i], velocities[i], velocities[i + n]);
  if (i > 0 && near(positions[i], positions[i]) < 1.0f)
    velocities[i] = velocities[i + n];
  int j = i ^ 1;
  if (j < n)
    collide(positions[i], velocities[i + n], positions[j], velocities[j + n], velocities[i]);
  Tuple own = positions[i], other = velocities[i];
  if (distance(own, other) > 3)
    move(positions[i], velocities[i], t);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Tuple> host(2 * n);
  for (int i = 0; i < 2 * n; ++i) host[i] = make_float2(i % 13 - 2, i % 7 - 3);
  Tuple *p, *v;
  cudaMalloc(&p, n * sizeof(Tuple));
  cudaMalloc(&v, 2 * n * sizeof(Tuple));
  cudaMemcpy(p, host.data(), n * sizeof(Tuple), cudaMemcpyHostToDevice);
  cudaMemcpy(v, host.data(), 2 * n * sizeof(Tuple), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; ++k) step<<<(n + 127) / 128, 128>>>(p, v, n, 0.5f);
  cudaMemcpy(host.data(), p, n * sizeof(Tuple), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += host[i].x + 2 * host[i].y;
  cudaMemcpy(host.data(), v, 2 * n * sizeof(Tuple), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2 * n; ++i) sum += host[i].x + 2 * host[i].y;
  std::printf("%g\n", sum);
  cudaFree(p);
  cudaFree(v);
}
