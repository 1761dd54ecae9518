// Addresses of arrays that the program prints.
#include <cstdio>
#include <vector>

struct Particle {
  float x, v;
  int id;
};
#include "particle_layout.h"

__global__ void move(ParticleView particles, int n) {
  const int i = threadIdx.x;
  if (i < n)
    particles.x(i) += particles.v(i);
}

int main() {
  const int n = 64;
  std::vector<Particle> host(n, Particle{1, 2, 3});
  ParticleView particles = nullptr;
  if (particleMalloc(&particles, n * sizeof(Particle)) != cudaSuccess)
    return 1;
  std::fprintf(stderr, "%d particles at %p\n", n, particles.allocation());
  std::fprintf(stderr, "the second at %p\n", ((particles + 1).allocation()));
  particleMemcpy(particles, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  move<<<1, n>>>(particles, n);
  particleMemcpy(host.data(), particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%f\n", host[5].x);
  particleFree(particles);
}
