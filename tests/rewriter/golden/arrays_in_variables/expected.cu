// Arrays in constant and shared memory, and one with a start value, keep their records, beside one
// that CUDA allocates.
// clang-format off
#include <cstdio>

struct Sphere {
  float x, y, z, r;
};
#include "sphere_layout.h"

__constant__ Sphere fixed[4];
__device__ Sphere cache[64] = {{0, 0, 0, 1}};

__device__ float reach(ConstSphereView s, float t) { return s.x() * t + s.r(); }

__device__ float reach(const Sphere *s, float t) { return s->x * t + s->r; }

__device__ void grow(SphereView s, float by) { s.r() += by; }

__device__ void grow(Sphere *s, float by) { s->r += by; }

__device__ void meet(Sphere *a, ConstSphereView b) { a->z += 0.25f * b.z(); }

__device__ void meet(SphereView a, const Sphere *b) { a.z() += 0.25f * b->z; }

__device__ float sum(ConstSphereView all, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += reach(all + i, 0.5f);
  return total;
}

__device__ float sum(const Sphere *all, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += reach(&all[i], 0.5f);
  return total;
}

__device__ float extent(const Sphere &s) { return s.r * 2; }

__device__ void shift(Sphere &s, float by) { s.x += by; }

__global__ void step(SphereView p, ConstSphereView q, float *out, int n) {
  __shared__ Sphere tile[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  tile[t] = p.load(i);
  float total = sum(q, n) + sum(fixed, 4);
  __syncthreads();
  total += sum(tile, 32);
  cache[i] = p.load(i);
  grow(&cache[i], 2);
  grow(p + i, 1);
  meet(p + i, &tile[31 - t]);
  meet(p + i, &fixed[t % 4]);
  meet(&cache[i], p + i);
  const Sphere &other = tile[t ^ 1];
  p.y(i) += cache[i].y + other.y;
  {
    Sphere element = p.load(i);
    shift(element, 1);
    p.x(i) = element.x;
  }
  shift(cache[i], 2);
  total += extent(p.load(i)) + extent(cache[i]) + extent(fixed[0]) + extent(tile[t]);
  out[i] = total + cache[i].r;
}

__global__ void scale(Sphere *all, float by) { all[threadIdx.x].r *= by; }

int main() {
  const int n = 64;
  Sphere host[n], cached[n];
  float result[n];
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f * i, 2, 0.5f * i, 0.5f};
  SphereView p;
  SphereView q;
  Sphere *inCache;
  float *out;
  sphereMalloc(&p, n * sizeof(Sphere));
  sphereMalloc(&q, n * sizeof(Sphere));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpyToSymbol(fixed, host + 3, 4 * sizeof(Sphere));
  sphereMemcpy(p, host, n * sizeof(Sphere), cudaMemcpyHostToDevice);
  sphereMemcpy(q, host, n * sizeof(Sphere), cudaMemcpyHostToDevice);
  step<<<2, 32>>>(p, q, out, n);
  cudaGetSymbolAddress((void **)&inCache, cache);
  scale<<<1, n>>>(inCache, 2);
  sphereMemcpy(host, p, n * sizeof(Sphere), cudaMemcpyDeviceToHost);
  cudaMemcpy(result, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(cached, cache, n * sizeof(Sphere));
  double total = 0;
  for (int i = 0; i < n; ++i)
    total += host[i].x + host[i].y + host[i].z + host[i].r + cached[i].x + cached[i].r + result[i];
  std::printf("%.9g\n", total);
}
