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
#include "light_layout.h"

struct light {
  short a;
  float b;
};
#include "light_soa_layout.h"

typedef Light *Lights;

enum class Way { Up, Down };
template <Way W> struct Copier;
template <> struct Copier<Way::Down> {
  template <class T> static void copy(T *to, const T *from, int n) {
    cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost);
  }

  static void copy(Light *to, ConstLightView from, int n) {
    lightMemcpy(to, from, n * sizeof(Light), cudaMemcpyDeviceToHost);
  }
};

template <class T> T *shared(int n) {
  T *memory = nullptr;
  if (cudaMallocManaged(&memory, n * sizeof(T)) != cudaSuccess)
    std::exit(1);
  std::memset((void *)memory, 0, n * sizeof(T));
  return memory;
}

LightSoaView lightSoaShared(int n) {
  LightSoaView memory = nullptr;
  if (lightSoaMallocManaged(&memory, n * sizeof(light)) != cudaSuccess)
    std::exit(1);
  lightSoaHostMemset(memory, 0, n * sizeof(light));
  return memory;
}

__global__ void shine(LightView lights, LightSoaView others, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    lights.Color(i).r += 0.5f * lights.index(i);
    lights.index(i)++;
    others.b(i) += others.a(i) + i;
  }
}

int main() {
  const int n = 64;
  LightView both[2] = {nullptr, nullptr};
  Light host[n];
  for (int k = 0; k < 2; ++k) {
    lightMalloc(&both[k], n * sizeof(Light));
    lightMemset(both[k], 0, n * sizeof(Light));
  }
  LightSoaView others = lightSoaShared(n);
  for (int k = 0; k < 4; ++k)
    shine<<<2, 32>>>(both[k % 2], others, n);
  Copier<Way::Down>::copy(host, both[1], n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].Color.r + host[i].index + others.b(i);
  std::printf("%.17g\n", sum);
  lightSoaFree(others);
}
