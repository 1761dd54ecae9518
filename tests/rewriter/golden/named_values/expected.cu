// Elements that are given what a call returns that acts: the call comes first.
// clang-format off
#include <cstdio>

struct Particle {
  float x, y;
  int id;

  __host__ __device__ Particle &operator+=(const Particle &b) {
    x += b.x;
    y += b.y;
    id += b.id;
    return *this;
  }
};
#include "particle_layout.h"

struct Counter {
  int next;
};

__device__ int draw(unsigned &state) {
  state = state * 1664525u + 1013904223u;
  return state >> 24 & 15;
}

__device__ Particle born(unsigned &state, Counter *counter) {
  Particle p;
  p.x = draw(state);
  p.y = draw(state);
  p.id = counter->next++;
  return p;
}

__device__ Particle &tenth(Particle *own, unsigned &state) { return own[draw(state) % 10]; }

/// Counts what it passes on.
__device__ Particle counted(int *done, Particle p) {
  *done += 1;
  return p;
}

__device__ void renew(ParticleView p, unsigned &at, Counter *counter) { const Particle value = born(at, counter); p.store(at % 8, value); }

__global__ void fill(ParticleView p, ConstParticleView q, Counter *counters, int *done, int n, int kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Counter *counter = &counters[i];
  unsigned state = i;
  ParticleView row = p + i * 8;
  row.store(0, born(state, counter));
  {
    const Particle value = born(state, counter);
    row.store(counter->next, value);
  }
  if (draw(state) > 7) {
    const Particle value = born(state, counter);
    (row + 2 * counter->next - 4).store(0, value);
  } else
    row.store(4, counted(&done[i], q.load(draw(state))));
  int at = 2;
  for (int k = 0; k < 2; ++k)
    row.store(at++, born(state, counter));
  Particle own[10];
  for (int k = 0; k < 10; ++k)
    own[k] = q.load(k);
  {
    const Particle value = {1.0f * draw(state), 2, counter->next++};
    row.store(draw(state) % 2 + 5, value);
  }
  switch (kind) {
  case 0:
    row.store(7, tenth(own, state));
    break;
  default:
    row.store(0, born(state, counter));
  }
  {
    const auto value = born(state, counter);
    Particle element = row.load(counter->next % 8);
    element += value;
    row.store(counter->next % 8, element);
  }
  if (kind == 1) {
    const Particle value = born(state, counter);
    row.store(counter->next % 8, value);
  }
  for (int k = 0; k < 2; ++k) {
    Particle element = row.load(k);
    element += row.load(k + 2);
    row.store(k, element);
  }
  renew(row, state, counter);
  ParticleView out = row + 6;
  (out++).store(0, born(state, counter));
}

int main() {
  const int n = 16;
  Particle host[8 * n], source[16];
  for (int i = 0; i < 8 * n; ++i)
    host[i] = {0, 0, 0};
  for (int i = 0; i < 16; ++i)
    source[i] = {0.5f * i, 1.0f - i, i};
  ParticleView p, q;
  Counter *counters;
  int *done;
  particleMalloc(&p, sizeof(host));
  particleMalloc(&q, sizeof(source));
  cudaMalloc(&counters, n * sizeof(Counter));
  cudaMalloc(&done, n * sizeof(int));
  particleMemcpy(p, host, 8 * n * sizeof(Particle), cudaMemcpyHostToDevice);
  particleMemcpy(q, source, 16 * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemset(done, 0, n * sizeof(int));
  for (int kind = 0; kind < 2; ++kind) {
    cudaMemset(counters, 0, n * sizeof(Counter));
    fill<<<1, 32>>>(p, q, counters, done, n, kind);
  }
  particleMemcpy(host, p, 8 * n * sizeof(Particle), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < 8 * n; ++i)
    sum += host[i].x * (i + 1) + host[i].y - host[i].id;
  std::printf("%.9g\n", sum);
}
