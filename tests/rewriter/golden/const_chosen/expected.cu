// Functions that are chosen by whether they may change the record, and loops over fields.
#include <cstdio>

struct Particle {
  float mass;
  float pos[3];
  int reads;
};
#include "particle_layout.h"

__device__ float look(ConstParticleView particle) { return particle.mass(); }
__device__ float look(ParticleView particle) {
  ++particle.reads();
  return -particle.mass();
}
__device__ float weigh(const float &mass) { return mass; }
__device__ float weigh(float &mass) { return -(mass += 1); }

__global__ void step(ParticleView particles, float *sums, int n) {
  const int i = threadIdx.x;
  if (i >= n)
    return;
  float sum = look(particles + i);
  sum += look(ConstParticleView(particles + i));
  sum += look(ConstParticleView(particles) + i);
  ConstParticleView first = particles;
  sum += look(first + i) + weigh(first.mass(i));
  ConstParticleView own = particles + i;
  sum += look(own) + weigh(own.mass());
  for (ConstParticleView at = particles + i; at != particles + i + 1; ++at)
    sum += look(at);
  auto read = ConstParticleView(particles);
  sum += look(read + i) + weigh(particles.mass(i));
  for (float &x : particles.pos(i))
    x += sum;
  for (const float x : own.pos())
    sum += x;
  float(&pos)[3] = particles.pos(i);
  for (auto &x : pos)
    x *= 2;
  sums[i] = sum;
}

int main() {
  const int n = 64;
  Particle host[n];
  ParticleView particles;
  float sums[n], *onDevice;
  for (int i = 0; i < n; ++i)
    host[i] = {float(i), {1, 2, 3}, 0};
  particleMalloc(&particles, sizeof(host));
  cudaMalloc(&onDevice, sizeof(sums));
  particleMemcpy(particles, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<1, n>>>(particles, onDevice, n);
  particleMemcpy(host, particles, sizeof(host), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums, onDevice, sizeof(sums), cudaMemcpyDeviceToHost);
  std::printf("%g %g %d %g\n", sums[5], host[5].mass, host[5].reads, host[5].pos[1]);
  particleFree(particles);
  cudaFree(onDevice);
}
