// Pointers that change hands by std::exchange, which CUDA's header brings, and loops over arrays and
// lists of them.
// clang-format off
#include <cstdio>

struct Particle {
  float x, v;
  int id;
};
#include "particle_layout.h"

class Buffer {
public:
  explicit Buffer(int n) { particleMalloc(&items_, n * sizeof(Particle)); }
  Buffer(Buffer &&other) noexcept : items_(std::exchange(other.items_, nullptr)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    particleFree(std::exchange(items_, std::exchange(other.items_, nullptr)));
    return *this;
  }
  ~Buffer() { particleFree(items_); }
  ParticleView get() const { return items_; }

private:
  ParticleView items_ = nullptr;
};

__global__ void step(ConstParticleView from, ParticleView to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    to.x(i) = from.x(i) + from.v(i);
    to.v(i) = from.v(i);
    to.id(i) = from.id(i);
  }
}

int main() {
  const int n = 100;
  Particle host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f * i, 0.5f, i};
  Buffer buffer(n);
  Buffer moved(std::move(buffer));
  moved = Buffer(n);
  ParticleView parts[2];
  for (int k = 0; k < 2; ++k)
    particleMalloc(&parts[k], sizeof(host));
  for (auto part : parts)
    particleMemcpy(part, host, sizeof(host), cudaMemcpyHostToDevice);
  particleMemcpy(moved.get(), host, sizeof(host), cudaMemcpyHostToDevice);
  for (ConstParticleView part : {parts[0], parts[1], moved.get()})
    if (!part)
      return 1;
  ParticleView from = parts[0], to = parts[1];
  for (int t = 0; t < 3; ++t) {
    step<<<1, 128>>>(from, to, n);
    ParticleView old = std::exchange(from, to);
    to = old;
  }
  std::exchange(to, moved.get());
  step<<<1, 128>>>(from, to, n);
  particleMemcpy(host, to, sizeof(host), cudaMemcpyDeviceToHost);
  for (auto part : {parts[0], parts[1]})
    particleFree(part);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x * host[i].id;
  std::printf("%.9g\n", sum);
}
