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

struct Kind {
  const int id;
  double weight;
  int *const counter;
  const unsigned group : 3, flags : 5;
};

__device__ float doubled(const float &r) { return 2 * r; }

__global__ void push(Particle *particles, float dt) {
  Particle &p = particles[threadIdx.x];
  const unsigned i = threadIdx.y;
  p.pos[i] += p.vel[i] * dt + doubled(p.r) * p.inverse * p.axes[1];
}

__global__ void weigh(Kind *kinds, const Particle *particles, int n) {
  int i = threadIdx.x;
  if (i < n) {
    const Kind k = kinds[i];
    kinds[i].weight += k.id * particles[k.id].r + kinds[i].group;
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
  Particle *particles;
  Kind *all;
  cudaMalloc(&particles, n * sizeof(Particle));
  cudaMalloc(&all, n * sizeof(Kind));
  cudaMemcpy(particles, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemcpy(all, kinds.data(), n * sizeof(Kind), cudaMemcpyHostToDevice);
  push<<<1, dim3(n, 3)>>>(particles, 0.5f);
  weigh<<<1, n>>>(all, particles, n);
  cudaMemcpy(host.data(), particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaMemcpy(kinds.data(), all, n * sizeof(Kind), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", host[3].pos[1], host[7].r, kinds[5].weight);
  cudaFree(particles);
  cudaFree(all);
}
