// Memory from methods and lambdas that know nothing of its type.
#include <cstdio>
#include <cstdlib>
#include <map>

class Pool {
public:
  cudaError_t take(void **memory, size_t bytes) {
    const cudaError_t status = cudaMalloc(memory, bytes);
    if (status == cudaSuccess)
      cudaMemset(*memory, 0, bytes);
    sizes[*memory] = bytes;
    taken += bytes;
    return status;
  }
  void give(void *memory) {
    if (memory == nullptr || sizes.find(memory) == sizes.end())
      return;
    taken -= sizes.find(memory)->second;
    sizes.erase(memory);
    cudaFree(memory);
  }

  size_t taken = 0;

private:
  std::map<void *, size_t> sizes;
};

template <class Kind> void fill(Kind, void **memory, unsigned long bytes) {
  if (cudaMalloc(memory, bytes) != cudaSuccess)
    exit(1);
}

struct Particle {
  float x, y;
  int hits;
};
#include "particle_layout.h"

struct State {
  ParticleView current, next;
};

__global__ void step(ConstParticleView in, ParticleView out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out.x(i) = in.x(i) + in.y((i + 1) % n);
  out.y(i) = in.y(i);
  out.hits(i) = in.hits(i) + (out.x(i) > 50);
}

int main() {
  const int n = 200;
  Pool pool;
  State state;
  ParticleView spare;
  Particle host[n];
  const auto allocate = [](void **memory, size_t bytes) {
    return cudaMalloc(memory, bytes) == cudaSuccess;
  };
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, 1.0f + i % 3, i};
  if (pool.take(ParticleOut(&state.current, n * sizeof(Particle)), n * sizeof(Particle)) != cudaSuccess ||
      !allocate(ParticleOut(&state.next, sizeof(Particle) * n), sizeof(Particle) * n))
    return 1;
  fill('c', ParticleOut(&spare, sizeof(host)), sizeof(host));
  particleMemcpy(spare, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<2, 128>>>(spare, state.current, n);
  step<<<2, 128>>>(state.current, state.next, n);
  particleMemcpy(host, state.next, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Particle &particle : host)
    sum += particle.x + particle.y + particle.hits;
  std::printf("%.9g %zu\n", sum, pool.taken);
  pool.give(state.current.allocation());
  pool.give(state.next.allocation());
  particleFree(spare);
}
