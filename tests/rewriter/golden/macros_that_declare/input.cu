// Macros whose bodies define functions and declare pointers.
// clang-format off
#include <array>
#include <cstdio>
#include <cstdlib>

struct Body {
  float x, y;
  int kind;
};

#define DEFINE_MEMORY(TYPE, NAME)                                                   \
  TYPE *device_##NAME(size_t n)                                                     \
  {                                                                                 \
    TYPE *p = NULL;                                                                 \
    if (cudaMalloc((void **)&p, sizeof(TYPE) * n) != cudaSuccess)                   \
      return NULL;                                                                  \
    return p;                                                                       \
  }                                                                                 \
                                                                                    \
  void free_##NAME(TYPE *p)                                                         \
  {                                                                                 \
    if (p) {                                                                        \
      cudaFree((void *)p);                                                          \
    }                                                                               \
  }                                                                                 \
  void to_device_##NAME(TYPE *to, const TYPE *from, size_t n) { cudaMemcpy(to, from, n * sizeof(TYPE), cudaMemcpyHostToDevice); } \
  void to_host_##NAME(TYPE *to, const TYPE *from, size_t n) { cudaMemcpy(to, from, n * sizeof(TYPE), cudaMemcpyDeviceToHost); }

#define DEFINE_ALL(TYPE) DEFINE_MEMORY(TYPE, TYPE##s)
#define EACH(i, n) int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)
#define BUFFERS(name) std::array<Body *, 2> name
#define STATIC_ARRAY(name, n) __device__ Body name[n]
#define OWN(p, i) const Body *own = p + i;

DEFINE_MEMORY(float, floats)
DEFINE_ALL(Body)
STATIC_ARRAY(last, 64);

__global__ void move(Body *bodies, const float *steps, int n) {
  EACH(i, n) {
    OWN(bodies, i)
    bodies[i].x = own->x + steps[i] * own->kind + last[i % 64].y;
    last[i % 64].kind = 1;
  }
}

int main() {
  const int n = 100;
  Body *host = (Body *)malloc(n * sizeof(Body));
  float times[n];
  for (int i = 0; i < n; ++i) {
    host[i] = {float(i), 1.0f, i % 3};
    times[i] = 0.5f * i;
  }
  BUFFERS(bodies) = {device_Bodys(n), device_Bodys(n)};
  float *steps = device_floats(n);
  to_device_Bodys(bodies[1], host, n);
  to_device_floats(steps, times, n);
  move<<<(n + 31) / 32, 32>>>(bodies[1], steps, n);
  to_host_Bodys(host, bodies[1], n);
  std::printf("%g %g\n", host[7].x, host[98].x);
  free_Bodys(bodies[0]);
  free_Bodys(bodies[1]);
  free_floats(steps);
  free(host);
}
