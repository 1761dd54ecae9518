// Functions that are given structs of both sides.
// clang-format off
#include <cstdio>
struct Sphere { float x, r; };
#include "sphere_layout.h"
struct Scene { Sphere *spheres; int n; __host__ __device__ int size() const { return n; } };
struct SceneDevice { SphereView spheres; int n; __host__ __device__ int size() const { return n; } };
__host__ __device__ float total(const Scene &s);
__host__ __device__ float total(const SceneDevice &s);
__host__ __device__ float radius(const SceneDevice *s, int i) { return s->spheres.r(i); }
__host__ __device__ float total(const Scene &s) {
  float m = 0;
  for (int i = 0; i < s.size(); i++) m += s.spheres[i].r;
  return m;
}

__host__ __device__ float total(const SceneDevice &s) {
  float m = 0;
  for (int i = 0; i < s.size(); i++) m += s.spheres.r(i);
  return m;
}
__host__ __device__ void push(SceneDevice s, int i, float by) { s.spheres.x(i) += by * s.size(); }
__host__ __device__ float both(const Scene &s, int i) { return total(s) + i; }

__host__ __device__ float both(const SceneDevice &s, int i) { return total(s) + i; }
__host__ __device__ int count(const SceneDevice &s) { return s.n; }
__global__ void grow(SceneDevice s, float *out) { int i = threadIdx.x; if (i < s.n) { push(s, i, 2); out[i] = both(s, i) + radius(&s, i); } }
int main() {
  Scene h{new Sphere[20], 20};
  SceneDevice d;
  for (int i = 0; i < 20; i++) h.spheres[i] = {1.f * i, 2};
  d.n = h.n; sphereMalloc(&d.spheres, 20 * sizeof(Sphere));
  sphereMemcpy(d.spheres, h.spheres, 20 * sizeof(Sphere), cudaMemcpyHostToDevice);
  float *out, got[20]; cudaMalloc(&out, sizeof got);
  grow<<<1, 32>>>(d, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  printf("%d\n", count(d));
  sphereMemcpy(h.spheres, d.spheres, 20 * sizeof(Sphere), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", both(h, 3), total(h), got[4]);
}
