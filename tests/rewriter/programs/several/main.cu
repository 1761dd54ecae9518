// A program of three source files.
#include "particles.h"

#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                \
  if ((call) != cudaSuccess)                                                                       \
  std::printf("%s failed\n", #call)
#define COUNT 150

World world;

static float start(int i) { return 0.25f * i; }

int main() {
  std::vector<Particle> host(COUNT);
  std::vector<Field> fields(COUNT);
  for (int i = 0; i < COUNT; ++i) {
    host[i] = Particle{start(i), 1.0f, 1.0f + i % 3, {i, (i * 7) % COUNT}};
    fields[i] = Field{i * 0.5f, 1.0f / (1 + i)};
  }
  world.count = COUNT;
  world.particles = allocateParticles(COUNT);
  CHECK(cudaMalloc(&world.fields, COUNT * sizeof(Field)));
  CHECK(cudaMemcpy(world.fields, fields.data(), COUNT * sizeof(Field), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(world.particles, host.data(), COUNT * sizeof(Particle), cudaMemcpyHostToDevice));
  advance(world, 5);
  CHECK(cudaMemcpy(host.data(), world.particles, COUNT * sizeof(Particle), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const Particle &particle : host)
    sum += particle.x * particle.mass + particle.cell[0];
  std::printf("%.9g\n", sum);
  CHECK(cudaFree(world.particles));
  CHECK(cudaFree(world.fields));
}
