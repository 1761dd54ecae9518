// Templates of a namespace, in front of a record outside of it, that calls name with the namespace.
// clang-format off
#include <cstdio>
namespace util {
template <typename T> inline T *make(int n) { T *p; cudaMalloc(&p, sizeof(T) * n); return p; }
template <typename T> inline void drop(T *p) { cudaFree(p); }
template <typename T> inline void toHost(T *d, T *s, int n = 1) { cudaMemcpy(d, s, sizeof(T) * n, cudaMemcpyDeviceToHost); }
template <typename T> inline void toDevice(T *d, T *s, int n = 1) { cudaMemcpy(d, s, sizeof(T) * n, cudaMemcpyHostToDevice); }
}
struct Vertex { float x, y, dx, dy; };
__global__ void step(Vertex *v, int n) { int i = threadIdx.x; if (i < n) v[i].x += v[i].dx; }
int main() {
  Vertex h[64]; for (int i = 0; i < 64; ++i) h[i] = {1.f * i, 2, 3, 4};
  auto d = util::make<Vertex>(64);
  util::toDevice(d, h, 64);
  step<<<1, 64>>>(d, 64);
  util::toHost(h, d, 64);
  printf("%g\n", h[3].x);
  util::drop(d);
}
