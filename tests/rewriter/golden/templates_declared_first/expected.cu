// Templates that are declared before their calls and defined behind them, whose arguments are
// written though they could be deduced, and which are instantiated explicitly.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T> T *copied(const std::vector<T> &values);
template <typename T> void clear(int n, T *values);

struct Particle {
  float mass, x, y, vx, vy;
};
#include "particle_layout.h"

ParticleView copied(const std::vector<Particle> &values);

void clear(int n, ParticleView values);

template <typename T> T *allocateAndCopy(T *array, int n);
ParticleView allocateAndCopy(Particle *array, int n);
template <typename T> void toHost(T *to, const T *from, int n) {
  cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost);
}

void toHost(Particle *to, ConstParticleView from, int n) {
  particleMemcpy(to, from, n * sizeof(Particle), cudaMemcpyDeviceToHost);
}

__global__ void move(ParticleView p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p.x(i) += p.vx(i);
    p.y(i) += p.vy(i);
  }
}

int main() {
  const int n = 1000;
  Particle *h = (Particle *)calloc(n, sizeof(Particle));
  for (int i = 0; i < n; ++i)
    h[i] = {1, 2.f * i, 3, 4, 0.5f};
  std::vector<Particle> more(h, h + n);
  float weights[4] = {1, 2, 3, 4};
  ParticleView d = allocateAndCopy(h, n);
  ParticleView e = copied(more);
  float *w = allocateAndCopy<float>(weights, 4);
  clear(1, d);
  move<<<8, 128>>>(d, n);
  move<<<8, 128>>>(e, n);
  toHost(h, d, n);
  toHost(more.data(), e, n);
  std::printf("%g %g\n", h[3].x, more[999].y);
  particleFree(d);
  particleFree(e);
  cudaFree(w);
  free(h);
}

template <typename T> T *allocateAndCopy(T *array, int n) {
  T *d;
  cudaMalloc((void **)&d, n * sizeof(T));
  cudaMemcpy(d, array, n * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

ParticleView allocateAndCopy(Particle *array, int n) {
  ParticleView d;
  particleMalloc(&d, n * sizeof(Particle));
  particleMemcpy(d, array, n * sizeof(Particle), cudaMemcpyHostToDevice);
  return d;
}

template <typename T> T *copied(const std::vector<T> &values) {
  T *d;
  cudaMalloc(&d, values.size() * sizeof(T));
  cudaMemcpy(d, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

ParticleView copied(const std::vector<Particle> &values) {
  ParticleView d;
  particleMalloc(&d, values.size() * sizeof(Particle));
  particleMemcpy(d, values.data(), values.size() * sizeof(Particle), cudaMemcpyHostToDevice);
  return d;
}

template <typename T> void clear(int n, T *values) {
  cudaMemset(values, 0, n * sizeof(T));
}

void clear(int n, ParticleView values) {
  particleMemset(values, 0, n * sizeof(Particle));
}

template float *allocateAndCopy<float>(float *array, int n);
