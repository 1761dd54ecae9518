// Macros that stand for one token: a type, and an array.
#include <cstdio>

struct Body {
  float x, y;
  int hits;
};

#define Particle Body
#define Tuple Vector
#define Vector float2
#define BODIES bodies

__global__ void move(Particle *bodies, const Tuple velocities[], int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  BODIES[i].x += velocities[i].x;
  BODIES[i].hits++;
}

int main() {
  const int count = 100;
  Particle host[count], *bodies;
  Tuple *velocities, given[count];
  cudaMalloc(&bodies, count * sizeof(Particle));
  cudaMalloc((void **)&velocities, count * sizeof(Tuple));
  for (int i = 0; i < count; ++i) {
    host[i] = {i * 1.0f, 2, i};
    given[i] = {i * 0.5f, 0};
  }
  cudaMemcpy(BODIES, host, count * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemcpy(velocities, given, count * sizeof(Tuple), cudaMemcpyHostToDevice);
  move<<<1, 128>>>(bodies, velocities, count);
  cudaMemcpy(host, bodies, count * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", host[7].x, host[9].hits);
  cudaFree(bodies);
  cudaFree(velocities);
}
