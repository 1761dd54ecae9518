// Instances of templates whose parameters are the same.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

enum Mode { kDrift, kKick };

struct Particle { float x, v; double mass; };
#include "particle_layout.h"

template <class T, int SIGN, bool DAMPED> __device__ void push(T *p, int i, float dt) {
  p[i].v += SIGN * dt;
  if (DAMPED) p[i].v *= 0.5f;
}

__device__ void particlePush_1_1(ParticleView p, int i, float dt) {
  p.v(i) += 1 * dt;
  if (true) p.v(i) *= 0.5f;
}

__device__ void particlePush_m1_0(ParticleView p, int i, float dt) {
  p.v(i) += (-1) * dt;
  if (false) p.v(i) *= 0.5f;
}

template <class T, Mode MODE> __global__ void step(T *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (MODE == kDrift) {
    p[i].x += p[i].v * dt;
    push<T, -1, false>(p, i, dt);
  } else {
    push<T, 1, true>(p, i, dt);
  }
}

__global__ void particleStep_kDrift(ParticleView p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (static_cast<Mode>(0) == kDrift) {
    p.x(i) += p.v(i) * dt;
    particlePush_m1_0(p, i, dt);
  } else {
    particlePush_1_1(p, i, dt);
  }
}

__global__ void particleStep_kKick(ParticleView p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (static_cast<Mode>(1) == kDrift) {
    p.x(i) += p.v(i) * dt;
    particlePush_m1_0(p, i, dt);
  } else {
    particlePush_1_1(p, i, dt);
  }
}

template <int EACH, class Real, class T> __global__ void scale(T *p, int n, Real by) {
  int i = EACH * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < EACH; ++k)
    if (i + k < n) p[i + k].mass *= by;
}

__global__ void particleScale_1_float(ParticleView p, int n, float by) {
  int i = 1 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 1; ++k)
    if (i + k < n) p.mass(i + k) *= by;
}

__global__ void particleScale_4_float(ParticleView p, int n, float by) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4; ++k)
    if (i + k < n) p.mass(i + k) *= by;
}

__global__ void scale(ParticleView p, int n, double by) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4; ++k)
    if (i + k < n) p.mass(i + k) *= by;
}

// What is computed with a number depends on its type.
template <class T, unsigned BINS, unsigned long long BIT, short HALF> __global__ void bin(T *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].mass += (i - 5) % BINS + (BIT << i % 40) + sizeof(HALF);
}

__global__ void bin(ParticleView p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p.mass(i) += (i - 5) % 10u + (1ull << i % 40) + sizeof(static_cast<short>(2));
}

template <class T, class Count> __global__ void count(T *p, Count by) {
  int i = threadIdx.x;
  p[i].mass += Count(p[i].x) / by;
}

__global__ void count(ParticleView p, unsigned int by) {
  int i = threadIdx.x;
  p.mass(i) += unsigned(p.x(i)) / by;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i) host[i] = {float(i), 1, 2};
  ParticleView p;
  particleMalloc(&p, n * sizeof(Particle));
  particleMemcpy(p, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  particleStep_kDrift<<<(n + 127) / 128, 128>>>(p, n, 0.5f);
  particleStep_kKick<<<(n + 127) / 128, 128>>>(p, n, 0.5f);
  particleScale_1_float<<<(n + 127) / 128, 128>>>(p, n, 1.5f);
  particleScale_4_float<<<(n + 127) / 128, 128>>>(p, n, 2.5f);
  scale<<<(n + 127) / 128, 128>>>(p, n, 3.5);
  bin<<<(n + 127) / 128, 128>>>(p, n);
  count<<<1, 1>>>(p, 3u);
  particleMemcpy(host.data(), p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Particle &particle : host) sum += particle.x + particle.v + particle.mass;
  std::printf("%g\n", sum);
  particleFree(p);
}
