// Pointers without a type in templates, which are cast to the parameter.
#include <cstdio>

template <class T> T *deviceAlloc(int n) {
  T *memory = nullptr;
  cudaMalloc(&memory, n * sizeof(T));
  return static_cast<T *>(memory);
}

template <class T> struct Vec {
  T *items = nullptr;
  int size = 0;
  explicit Vec(int n) : size(n) { cudaMalloc((void **)&items, n * sizeof(T)); }
  void resize(int n) {
    T *bigger;
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
#include "body_layout.h"

BodyView bodyDeviceAlloc(int n) {
  BodyView memory = nullptr;
  bodyMalloc(&memory, n * sizeof(Body));
  return memory;
}

template <> struct Vec<Body> {
  BodyView items = nullptr;
  int size = 0;
  explicit Vec(int n) : size(n) { bodyMalloc(&items, n * sizeof(Body)); }
  void resize(int n) {
    BodyView bigger;
    bodyMalloc(&bigger, n * sizeof(Body));
    bodyMemcpy(bigger, items, size * sizeof(Body), cudaMemcpyDeviceToDevice);
    bodyFree(items);
    items = bigger;
    size = n;
  }
  void from(const Body *host) { bodyMemcpy(items, host, size * sizeof(Body), cudaMemcpyHostToDevice); }
};

__global__ void pull(ConstBodyView bodies, BodyView pulled, float *forces, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  forces[i] = bodies.mass(i) * (bodies.x(0) - bodies.x(i));
  pulled.x(i) += forces[i];
}

int main() {
  Body host[200];
  for (int i = 0; i < 200; ++i)
    host[i] = {1.f * i, 2, 3, 0.5f};
  Vec<Body> bodies(100);
  bodies.resize(200);
  bodies.from(host);
  BodyView pulled = bodyDeviceAlloc(200);
  float *forces = deviceAlloc<float>(200);
  bodyMemcpy(pulled, host, sizeof(host), cudaMemcpyHostToDevice);
  pull<<<2, 128>>>(bodies.items, pulled, forces, 200);
  bodyMemcpy(host, pulled, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[3].x, host[150].x);
  bodyFree(pulled);
  cudaFree(forces);
}
