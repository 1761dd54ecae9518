// Particle soa
// What follows the pointer is read as a number.
struct Particle {
  float x, v;
};

struct Context {
  Particle *particles;
  long count;
};

void *create(long count) {
  Context *context = new Context{nullptr, count};
  cudaMalloc(&context->particles, count * sizeof(Particle));
  return context; // refused: RL-R10
}

__global__ void move(Particle *particles) { particles[threadIdx.x].x += particles[threadIdx.x].v; }

int main() {
  void *handle = create(64);
  const long count = static_cast<long *>(handle)[1];
  Context *context = static_cast<Context *>(handle);
  move<<<1, 64>>>(context->particles);
  Particle host[64];
  cudaMemcpy(host, context->particles, sizeof host, cudaMemcpyDeviceToHost);
  return count == 64 ? 0 : 1;
}
