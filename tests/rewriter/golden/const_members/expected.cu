// Members that are set when an element is constructed.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef float vec3[3];

class Particle {
public:
  Particle(float x, float r) : pos{x, 2 * x, 3 * x}, vel{0, 0, 1}, r(r), inverse(1 / r), axes{1, 2} {}
  vec3 pos, vel;
  const float r, inverse;
  const short axes[2];
};
#include "particle_layout.h"

struct Kind {
  const int id;
  double weight;
  int *const counter;
  const unsigned group : 3, flags : 5;
};
#include "kind_layout.h"

__device__ float doubled(const float &r) { return 2 * r; }

__global__ void push(ParticleView particles, float dt) {
  ParticleView p = particles + threadIdx.x;
  const unsigned i = threadIdx.y;
  p.pos()[i] += p.vel()[i] * dt + doubled(p.r()) * p.inverse() * p.axes()[1];
}

__global__ void weigh(KindView kinds, ConstParticleView particles, int n) {
  int i = threadIdx.x;
  if (i < n) {
    const Kind k = kinds.load(i);
    kinds.weight(i) += k.id * particles.r(k.id) + kinds.group_flags(i).group;
    if (k.counter)
      ++*k.counter;
  }
}

int main() {
  const int n = 32;
  std::vector<Particle> host;
  std::vector<Kind> kinds;
  for (int i = 0; i < n; ++i) {
    host.emplace_back(0.5f * i, 1.0f + i);
    kinds.push_back({i, 1.0, nullptr, i % 8u, 1});
  }
  ParticleView particles;
  KindView all;
  particleMalloc(&particles, n * sizeof(Particle));
  kindMalloc(&all, n * sizeof(Kind));
  particleMemcpy(particles, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  kindMemcpy(all, kinds.data(), n * sizeof(Kind), cudaMemcpyHostToDevice);
  push<<<1, dim3(n, 3)>>>(particles, 0.5f);
  weigh<<<1, n>>>(all, particles, n);
  particleMemcpy(host.data(), particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  kindMemcpy(kinds.data(), all, n * sizeof(Kind), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", host[3].pos[1], host[7].r, kinds[5].weight);
  particleFree(particles);
  kindFree(all);
}
