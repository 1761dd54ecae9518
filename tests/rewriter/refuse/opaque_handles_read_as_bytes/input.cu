// Particle soa
// The struct's bytes are read through a pointer without a type.
#include <cstddef>

struct Particle {
  float x, v;
};

struct Context {
  Particle *particles;
  int count;
};

void *create(int count) {
  Context *context = new Context;
  context->count = count;
  cudaMalloc(&context->particles, count * sizeof(Particle));
  return context; // refused: RL-R10
}

unsigned sumOf(const void *memory, std::size_t bytes) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    sum += static_cast<const unsigned char *>(memory)[i];
  return sum;
}

__global__ void move(Particle *particles) { particles[threadIdx.x].x += particles[threadIdx.x].v; }

int main() {
  void *handle = create(64);
  Context *context = static_cast<Context *>(handle);
  move<<<1, 64>>>(context->particles);
  Particle host[64];
  cudaMemcpy(host, context->particles, sizeof host, cudaMemcpyDeviceToHost);
  return sumOf(handle, 16) == 0;
}
