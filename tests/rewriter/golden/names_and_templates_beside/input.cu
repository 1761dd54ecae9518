// Fields that are named as their types, records whose names differ in a capital alone, arrays of
// pointers by an alias, memory of a template, and members of a specialisation.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Color {
  float r, g;
};

struct Light {
  Color Color;
  int index;
};

struct light {
  short a;
  float b;
};

typedef Light *Lights;

enum class Way { Up, Down };
template <Way W> struct Copier;
template <> struct Copier<Way::Down> {
  template <class T> static void copy(T *to, const T *from, int n) {
    cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost);
  }
};

template <class T> T *shared(int n) {
  T *memory = nullptr;
  if (cudaMallocManaged(&memory, n * sizeof(T)) != cudaSuccess)
    std::exit(1);
  std::memset((void *)memory, 0, n * sizeof(T));
  return memory;
}

__global__ void shine(Light *lights, light *others, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    lights[i].Color.r += 0.5f * lights[i].index;
    lights[i].index++;
    others[i].b += others[i].a + i;
  }
}

int main() {
  const int n = 64;
  Lights both[2] = {nullptr, nullptr};
  Light host[n];
  for (int k = 0; k < 2; ++k) {
    cudaMalloc(&both[k], n * sizeof(Light));
    cudaMemset(both[k], 0, n * sizeof(Light));
  }
  light *others = shared<light>(n);
  for (int k = 0; k < 4; ++k)
    shine<<<2, 32>>>(both[k % 2], others, n);
  Copier<Way::Down>::copy(host, both[1], n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].Color.r + host[i].index + others[i].b;
  std::printf("%.17g\n", sum);
  cudaFree(others);
}
