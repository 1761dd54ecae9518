// Methods that change some private members of an element: these are stored, and no others.
// clang-format off
#include <cstdio>

struct Pair {
  float a, b;
  __host__ __device__ Pair operator+(const Pair &o) const { return {a + o.a, b + o.b}; }
};

class Particle {
public:
  __host__ __device__ Particle() : at_{0, 0}, v_{1, 2}, age_(0), kind(3) {}
  __host__ __device__ void move() { at_ = at_ + v_; }
  __host__ __device__ void turn(float by) { v_ = {v_.b * by, v_.a}; age_++; }
  __host__ __device__ float where() const { return at_.a + at_.b; }
  int kind;

private:
  Pair at_, v_;
  int age_;
};
#include "particle_layout.h"

__global__ void step(ParticleView particles, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  {
    Particle element2 = particles.load(i);
    element2.move();
    const auto members2 = particles.membersOf(element2);
    particles.at_(i) = members2.at_;
  }
  if (i % 2 == 0) {
    Particle element2 = particles.load(i);
    element2.turn(0.5f);
    const auto members2 = particles.membersOf(element2);
    particles.v_(i) = members2.v_;
    particles.age_(i) = members2.age_;
  }
  ParticleView mine = particles + i;
  {
    Particle element2 = mine.load();
    element2.move();
    const auto members2 = mine.membersOf(element2);
    mine.at_() = members2.at_;
  }
  sums[i] = mine.load().where();
}

int main() {
  const int n = 128;
  static Particle host[n];
  ParticleView particles;
  float *sums;
  particleMalloc(&particles, sizeof host);
  cudaMalloc(&sums, n * sizeof(float));
  particleMemcpy(particles, host, sizeof host, cudaMemcpyHostToDevice);
  step<<<1, n>>>(particles, sums, n);
  step<<<1, n>>>(particles, sums, n);
  static float result[n];
  cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost);
  particleMemcpy(host, particles, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", result[6], host[7].where());
  particleFree(particles);
  cudaFree(sums);
}
