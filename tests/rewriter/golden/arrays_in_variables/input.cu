// Arrays in constant and shared memory, and one with a start value, keep their records, beside one
// that CUDA allocates.
// clang-format off
#include <cstdio>

struct Sphere {
  float x, y, z, r;
};

__constant__ Sphere fixed[4];
__device__ Sphere cache[64] = {{0, 0, 0, 1}};

__device__ float reach(const Sphere *s, float t) { return s->x * t + s->r; }

__device__ void grow(Sphere *s, float by) { s->r += by; }

__device__ void meet(Sphere *a, const Sphere *b) { a->z += 0.25f * b->z; }

__device__ float sum(const Sphere *all, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += reach(&all[i], 0.5f);
  return total;
}

__device__ float extent(const Sphere &s) { return s.r * 2; }

__device__ void shift(Sphere &s, float by) { s.x += by; }

__global__ void step(Sphere *p, const Sphere *q, float *out, int n) {
  __shared__ Sphere tile[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  tile[t] = p[i];
  float total = sum(q, n) + sum(fixed, 4);
  __syncthreads();
  total += sum(tile, 32);
  cache[i] = p[i];
  grow(&cache[i], 2);
  grow(p + i, 1);
  meet(&p[i], &tile[31 - t]);
  meet(&p[i], &fixed[t % 4]);
  meet(&cache[i], p + i);
  const Sphere &other = tile[t ^ 1];
  p[i].y += cache[i].y + other.y;
  shift(p[i], 1);
  shift(cache[i], 2);
  total += extent(p[i]) + extent(cache[i]) + extent(fixed[0]) + extent(tile[t]);
  out[i] = total + cache[i].r;
}

__global__ void scale(Sphere *all, float by) { all[threadIdx.x].r *= by; }

int main() {
  const int n = 64;
  Sphere host[n], cached[n];
  float result[n];
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f * i, 2, 0.5f * i, 0.5f};
  Sphere *p, *q, *inCache;
  float *out;
  cudaMalloc(&p, n * sizeof(Sphere));
  cudaMalloc(&q, n * sizeof(Sphere));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpyToSymbol(fixed, host + 3, 4 * sizeof(Sphere));
  cudaMemcpy(p, host, n * sizeof(Sphere), cudaMemcpyHostToDevice);
  cudaMemcpy(q, host, n * sizeof(Sphere), cudaMemcpyHostToDevice);
  step<<<2, 32>>>(p, q, out, n);
  cudaGetSymbolAddress((void **)&inCache, cache);
  scale<<<1, n>>>(inCache, 2);
  cudaMemcpy(host, p, n * sizeof(Sphere), cudaMemcpyDeviceToHost);
  cudaMemcpy(result, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(cached, cache, n * sizeof(Sphere));
  double total = 0;
  for (int i = 0; i < n; ++i)
    total += host[i].x + host[i].y + host[i].z + host[i].r + cached[i].x + cached[i].r + result[i];
  std::printf("%.9g\n", total);
}
