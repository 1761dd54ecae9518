// Structs of both sides, whose arrays a function of both sides is given.
// clang-format off
#include <cstdio>
struct Sphere { float x, r; };
#include "sphere_layout.h"
struct Scene { Sphere *spheres; int n; };
struct SceneDevice { SphereView spheres; int n; };
__host__ __device__ void bump(SphereView s, float by) { s.r() += by; s.x() *= 2; }

void bump_host(Sphere *s, float by) { s->r += by; s->x *= 2; }
__host__ __device__ float total(const Scene &s) { float m = 0; for (int i = 0; i < s.n; i++) m += s.spheres[i].r; return m; }
__global__ void grow(SceneDevice s) { int i = threadIdx.x; if (i < s.n) bump(s.spheres + i, i); }
int main() {
  Scene h{new Sphere[20], 20};
  SceneDevice d;
  for (int i = 0; i < 20; i++) h.spheres[i] = {1.f * i, 2};
  d.n = h.n; sphereMalloc(&d.spheres, 20 * sizeof(Sphere));
  for (int i = 0; i < h.n; i++) bump_host(h.spheres + i, 1);
  sphereMemcpy(d.spheres, h.spheres, 20 * sizeof(Sphere), cudaMemcpyHostToDevice);
  grow<<<1, 32>>>(d);
  sphereMemcpy(h.spheres, d.spheres, 20 * sizeof(Sphere), cudaMemcpyDeviceToHost);
  printf("%g\n", total(h));
}
