// Functions that are given structs of both sides.
// clang-format off
#include <cstdio>
struct Sphere { float x, r; };
struct Scene { Sphere *spheres; int n; __host__ __device__ int size() const { return n; } };
__host__ __device__ float total(const Scene &s);
__host__ __device__ float radius(const Scene *s, int i) { return s->spheres[i].r; }
__host__ __device__ float total(const Scene &s) {
  float m = 0;
  for (int i = 0; i < s.size(); i++) m += s.spheres[i].r;
  return m;
}
__host__ __device__ void push(Scene s, int i, float by) { s.spheres[i].x += by * s.size(); }
__host__ __device__ float both(const Scene &s, int i) { return total(s) + i; }
__host__ __device__ int count(const Scene &s) { return s.n; }
__global__ void grow(Scene s, float *out) { int i = threadIdx.x; if (i < s.n) { push(s, i, 2); out[i] = both(s, i) + radius(&s, i); } }
int main() {
  Scene h{new Sphere[20], 20}, d;
  for (int i = 0; i < 20; i++) h.spheres[i] = {1.f * i, 2};
  d.n = h.n; cudaMalloc(&d.spheres, 20 * sizeof(Sphere));
  cudaMemcpy(d.spheres, h.spheres, 20 * sizeof(Sphere), cudaMemcpyHostToDevice);
  float *out, got[20]; cudaMalloc(&out, sizeof got);
  grow<<<1, 32>>>(d, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  printf("%d\n", count(d));
  cudaMemcpy(h.spheres, d.spheres, 20 * sizeof(Sphere), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", both(h, 3), total(h), got[4]);
}
