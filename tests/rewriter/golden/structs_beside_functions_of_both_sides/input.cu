// Structs of both sides, whose arrays a function of both sides is given.
// clang-format off
#include <cstdio>
struct Sphere { float x, r; };
struct Scene { Sphere *spheres; int n; };
__host__ __device__ void bump(Sphere *s, float by) { s->r += by; s->x *= 2; }
__host__ __device__ float total(const Scene &s) { float m = 0; for (int i = 0; i < s.n; i++) m += s.spheres[i].r; return m; }
__global__ void grow(Scene s) { int i = threadIdx.x; if (i < s.n) bump(&s.spheres[i], i); }
int main() {
  Scene h{new Sphere[20], 20}, d;
  for (int i = 0; i < 20; i++) h.spheres[i] = {1.f * i, 2};
  d.n = h.n; cudaMalloc(&d.spheres, 20 * sizeof(Sphere));
  for (int i = 0; i < h.n; i++) bump(h.spheres + i, 1);
  cudaMemcpy(d.spheres, h.spheres, 20 * sizeof(Sphere), cudaMemcpyHostToDevice);
  grow<<<1, 32>>>(d);
  cudaMemcpy(h.spheres, d.spheres, 20 * sizeof(Sphere), cudaMemcpyDeviceToHost);
  printf("%g\n", total(h));
}
