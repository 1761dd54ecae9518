// Branches that instances of templates discard.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Particle { float x, v; double mass; };
#include "particle_layout.h"

template <class T> constexpr bool kIsWord = sizeof(T) == 4;

template <class T> T *upload(const std::vector<T> &values) {
  T *p = nullptr;
  cudaMalloc(&p, values.size() * sizeof(T));
  if constexpr (!kIsWord<T>)
    cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  else {
    for (const T &value : values) cudaMemcpy(p + (&value - values.data()), &value, sizeof(T), cudaMemcpyHostToDevice);
  }
  return p;
}

ParticleView upload(const std::vector<Particle> &values) {
  ParticleView p = nullptr;
  particleMalloc(&p, values.size() * sizeof(Particle));
  if constexpr (!kIsWord<Particle>)
    particleMemcpy(p, values.data(), values.size() * sizeof(Particle), cudaMemcpyHostToDevice);
  else {}
  return p;
}

template <class T> __device__ float weight(const T *p, int i) {
  if constexpr (kIsWord<T>) return p[i];
  else if constexpr (sizeof(T) == 16)
    return p[i].mass;
  else
    return p[i].none();
}

__device__ float weight(ConstParticleView p, int i) {
  if constexpr (kIsWord<Particle>) {}
  else if constexpr (sizeof(Particle) == 16)
    return p.mass(i);
  else
    {}
}

template <class T> __global__ void step(T *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if constexpr (kIsWord<T>) for (int k = 0; k < 2; ++k) if (i < n) p[i] += dt;
  if constexpr (kIsWord<T>) ; else { if (i < n) p[i].x += p[i].v * dt * weight(p, i); }
}

__global__ void step(ParticleView p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if constexpr (kIsWord<Particle>) {}
  if constexpr (kIsWord<Particle>) {} else { if (i < n) p.x(i) += p.v(i) * dt * weight(p, i); }
}

template <class T> struct Buffer {
  T *items_ = nullptr;
  int n_;
  explicit Buffer(int n) : n_(n) { cudaMalloc(&items_, n * sizeof(T)); zero(); }
  ~Buffer() { cudaFree(items_); }
  void zero() {
    if constexpr (kIsWord<T>) { items_[0] = 0; } else cudaMemset(items_, 0, n_ * sizeof(T));
  }
};

template <> struct Buffer<Particle> {
  ParticleView items_ = nullptr;
  int n_;
  explicit Buffer(int n) : n_(n) { particleMalloc(&items_, n * sizeof(Particle)); zero(); }
  ~Buffer() { particleFree(items_); }
  void zero() {
    if constexpr (kIsWord<Particle>) {} else particleMemset(items_, 0, n_ * sizeof(Particle));
  }
};

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i) host[i] = {float(i), 1, 2};
  std::vector<float> words(n, 1.0f);
  ParticleView p = upload(host);
  float *f = upload(words);
  Buffer<Particle> zeros(n);
  step<<<(n + 127) / 128, 128>>>(p, n, 0.5f);
  step<<<(n + 127) / 128, 128>>>(f, n, 0.5f);
  step<<<(n + 127) / 128, 128>>>(zeros.items_, n, 0.5f);
  particleMemcpy(host.data(), p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Particle &particle : host) sum += particle.x;
  particleMemcpy(host.data(), zeros.items_, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaMemcpy(words.data(), f, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", sum, host[1].x, words[1]);
  particleFree(p);
  cudaFree(f);
}
