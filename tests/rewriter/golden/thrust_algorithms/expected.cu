// Thrust's algorithms on pointers to records, with a policy.
// clang-format off
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/remove.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <cstdio>
#include <vector>

struct Particle {
  float x, y;
  int kind;
  double mass;
};
#include "particle_layout.h"

struct Lighter {
  __host__ __device__ bool operator()(const Particle &a, const Particle &b) const { return a.mass < b.mass; }
};
struct Mass {
  __host__ __device__ double operator()(const Particle &p) const { return p.mass; }
};
struct OfKind {
  int kind;
  __host__ __device__ bool operator()(Particle p) const { return p.kind == kind; }
};
struct Move {
  float dt;
  __host__ __device__ void operator()(ParticleView p) const { p.x() += dt * p.y(); }
};
struct Turn {
  __host__ __device__ Particle operator()(const Particle &p) const { return {p.y, -p.x, p.kind, p.mass}; }
};

__global__ void init(ParticleView particles, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) particles.store(i, {float(i), 1.0f / (i + 1), i % 3, double(i * 7919 % 1009)});
}

long countOf(ConstParticleView first, ConstParticleView last, int kind) {
  return thrust::count_if(thrust::device, first, last, OfKind{kind});
}

int main() {
  const int n = 1000;
  ParticleView particles = nullptr;
  particleMalloc(&particles, n * sizeof(Particle));
  init<<<(n + 127) / 128, 128>>>(particles, n);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::for_each(thrust::cuda::par.on(stream), particles, particles + n, Move{0.5f});
  cudaStreamSynchronize(stream);
  thrust::sort(thrust::device, particles, particles + n, Lighter());
  thrust::transform(thrust::device, particles, particles + n / 2, particles, Turn());
  const double mass = thrust::transform_reduce(thrust::device, particles, particles + n, Mass(), 0.0, thrust::plus<double>());
  ParticleView end = thrust::remove_if(thrust::device, particles, particles + n, OfKind{1});
  const long left = end - particles;
  const long heaviest = thrust::max_element(thrust::device, particles, end, Lighter()) - particles;
  std::vector<Particle> host(left);
  particleMemcpy(host.data(), particles, left * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %ld %ld %ld %g %g\n", mass, left, heaviest, countOf(particles, end, 2), host[0].x, host[left - 1].y);
  particleFree(particles);
}
