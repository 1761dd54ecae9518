// Functions for arrays of any type, of which a unit gets the ones for records that change.
// clang-format off
#pragma once
#include <cstdlib>
#include <cuda_runtime.h>

struct Particle { float x, v; };

template <class T> T *toDevice(const T *from, int n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

template <class T> T *toHost(const T *from, int n) {
  T *p = static_cast<T *>(malloc(n * sizeof(T)));
  cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return p;
}

template <class T> __device__ __noinline__ void move(T *p, int i, float dt) { p[i].x += p[i].v * dt; }

template <class T> __device__ __forceinline__ void slow(T *p, int i) { p[i].v *= 0.5f; }

template <class T> static __device__ float place(T *p, int i) { return p[i].x; }

void advance(Particle *p, int n);
