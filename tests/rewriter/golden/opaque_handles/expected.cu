// A struct that holds an array, which callers know by a pointer without a type.
#include <cstdio>
#include <new>
#include <vector>

struct Particle {
  float x, v;
  int id;
};
#include "particle_layout.h"

struct Context {
  ParticleView particles;
  int count;
};

void *create(const std::vector<Particle> &host) {
  Context *context = new Context;
  context->count = static_cast<int>(host.size());
  particleMalloc(&context->particles, host.size() * sizeof(Particle));
  particleMemcpy(context->particles, host.data(), host.size() * sizeof(Particle),
             cudaMemcpyHostToDevice);
  return context;
}

__global__ void move(Context context, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < context.count)
    context.particles.x(i) += dt * context.particles.v(i);
}

void step(void *handle, float dt) {
  Context *context = static_cast<Context *>(handle);
  move<<<(context->count + 127) / 128, 128>>>(*context, dt);
}

void destroy(void *handle) {
  Context *context = (Context *)handle;
  particleFree(context->particles);
  delete context;
}

struct Shape {
  int kind;
  void *object;
};

int main() {
  std::vector<Particle> host(300);
  for (int i = 0; i < 300; ++i)
    host[i] = {1.0f * i, 2, i};
  void *handle = create(host);
  Shape shape;
  shape.kind = 1;
  shape.object = static_cast<Context *>(handle);
  step(shape.object, 0.5f);
  const Context *context = static_cast<const Context *>(handle);
  particleMemcpy(host.data(), context->particles, 300 * sizeof(Particle), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Particle &particle : host)
    sum += particle.x;
  std::printf("%f\n", sum);
  destroy(handle);
}
