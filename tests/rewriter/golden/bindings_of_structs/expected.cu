// Structured bindings name the members of a struct that holds the array.
#include <cstdio>
#include <vector>

struct Particle {
  float x, y, vx, vy;
  int id;
};
#include "particle_layout.h"

struct Particles {
  ParticleView data;
  int count;
};

Particles upload(const std::vector<Particle> &host) {
  Particles made{nullptr, static_cast<int>(host.size())};
  particleMalloc(&made.data, host.size() * sizeof(Particle));
  particleMemcpy(made.data, host.data(), host.size() * sizeof(Particle), cudaMemcpyHostToDevice);
  return made;
}

__global__ void move(Particles particles, float dt) {
  auto [data, count] = particles;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    data.x(i) += dt * data.vx(i);
    data.y(i) += dt * data.vy(i);
  }
}

__global__ void turn(ParticleView data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data.vx(i) = -data.vx(i);
}

int main() {
  std::vector<Particle> host(300);
  for (int i = 0; i < 300; ++i)
    host[i] = {1.0f * i, 2.0f * i, 1, 2, i};
  const Particles particles = upload(host);
  const auto &[data, count] = particles;
  move<<<(count + 127) / 128, 128>>>(particles, 0.5f);
  turn<<<(count + 127) / 128, 128>>>(data, count);
  particleMemcpy(host.data(), data, count * sizeof(Particle), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Particle &particle : host)
    sum += particle.x - particle.y + particle.vx;
  std::printf("%f\n", sum);
  particleFree(data);
}
