// Pointers without a type in templates, which are cast to the parameter.
#include <cstdio>

template <class T> T *deviceAlloc(int n) {
  void *memory = nullptr;
  cudaMalloc(&memory, n * sizeof(T));
  return static_cast<T *>(memory);
}

template <class T> struct Vec {
  T *items = nullptr;
  int size = 0;
  explicit Vec(int n) : size(n) { cudaMalloc((void **)&items, n * sizeof(T)); }
  void resize(int n) {
    void *bigger;
    cudaMalloc(&bigger, n * sizeof(T));
    cudaMemcpy(bigger, (void *)items, size * sizeof(T), cudaMemcpyDeviceToDevice);
    cudaFree(items);
    items = (T *)bigger;
    size = n;
  }
  void from(const T *host) { cudaMemcpy(items, host, size * sizeof(T), cudaMemcpyHostToDevice); }
};

struct Body {
  float x, y, z, mass;
};

__global__ void pull(const Body *bodies, Body *pulled, float *forces, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  forces[i] = bodies[i].mass * (bodies[0].x - bodies[i].x);
  pulled[i].x += forces[i];
}

int main() {
  Body host[200];
  for (int i = 0; i < 200; ++i)
    host[i] = {1.f * i, 2, 3, 0.5f};
  Vec<Body> bodies(100);
  bodies.resize(200);
  bodies.from(host);
  Body *pulled = deviceAlloc<Body>(200);
  float *forces = deviceAlloc<float>(200);
  cudaMemcpy(pulled, host, sizeof(host), cudaMemcpyHostToDevice);
  pull<<<2, 128>>>(bodies.items, pulled, forces, 200);
  cudaMemcpy(host, pulled, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[3].x, host[150].x);
  cudaFree(pulled);
  cudaFree(forces);
}
