// Aliases of other scopes, references to pointers, and memcpy in device code.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

template <class T> struct Particle { T x, v, mass; };
#include "particle_float_layout.h"
using P = Particle<float>;
typedef P *Particles;

struct Solver {
  using Record = P;
  typedef const Particle<float> Fixed;
  ParticleFloatView now, next;
};

void makeByAlias(ParticleFloatView *p, int n) { particleFloatMalloc(p, n * sizeof(Particle<float>)); }

void make(ParticleFloatView &p, int n) { particleFloatMalloc(&p, n * sizeof(P)); }

__global__ void gather(ParticleFloatView out, ConstParticleFloatView in, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    particleFloatDeviceMemcpy(out + i, in + from[i], sizeof(P));
}

__global__ void step(ParticleFloatView p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  P own;
  particleFloatDeviceMemcpy(&own, p + i, sizeof own);
  own.x += own.v * dt + own.mass;
  particleFloatDeviceMemcpy(p + i, &own, sizeof(P));
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<P> host(n);
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) {
    host[i] = {float(i), 1, 2};
    order[i] = (i * 7) % n;
  }
  ParticleFloatView two[2], more[2], others[2];
  for (auto &&p : two) particleFloatMalloc(&p, n * sizeof(P));
  for (auto &p : more) particleFloatMalloc(&p, n * sizeof(P));
  for (ParticleFloatView &p : others) make(p, n);
  for (const auto &p : more) particleFloatMemset(p, 0, n * sizeof(P));
  Solver solver{two[0], two[1]};
  ParticleFloatView &now = solver.now;
  auto &next = solver.next;
  const ParticleFloatView last = others[0];
  ParticleFloatView byAlias;
  makeByAlias(&byAlias, n);
  particleFloatFree(byAlias);
  int *from;
  cudaMalloc(&from, n * sizeof(int));
  cudaMemcpy(from, order.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  particleFloatMemcpy(now, host.data(), n * sizeof(P), cudaMemcpyHostToDevice);
  for (int t = 0; t < 3; ++t) {
    gather<<<(n + 127) / 128, 128>>>(next, now, from, n);
    step<<<(n + 127) / 128, 128>>>(next, n, 0.5f);
    std::swap(now, next);
  }
  gather<<<(n + 127) / 128, 128>>>(more[1], now, from, n);
  gather<<<(n + 127) / 128, 128>>>(last, more[1], from, n);
  particleFloatMemcpy(host.data(), last, n * sizeof(P), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += host[i].x * (i + 1);
  std::printf("%g\n", sum);
  for (ParticleFloatView p : two) particleFloatFree(p);
  for (const auto p : more) particleFloatFree(p);
  for (auto &p : others) particleFloatFree(p);
  cudaFree(from);
}
