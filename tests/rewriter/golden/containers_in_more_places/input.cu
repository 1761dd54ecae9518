// Containers of device pointers in templates, members, lists and loops.
// clang-format off
#include <array>
#include <cstdio>
#include <vector>

namespace sim {

struct Particle {
  float x, v;
};
using ParticlePointer = Particle *;

template <class T> void allocate(std::vector<T *> &parts, int n) {
  for (T *&part : parts)
    cudaMalloc(&part, n * sizeof(T));
}

void allocate(Particle **parts, int count, int n) {
  for (int k = 0; k < count; ++k)
    cudaMalloc(&parts[k], n * sizeof(Particle));
}

template <int kWidth> struct Halo {
  std::array<Particle *, 2 * kWidth> sides = {nullptr, nullptr};
  std::vector<ParticlePointer> inner{2, nullptr}, outer;
};

struct Pool {
  static std::vector<struct Particle *> taken;
  const auto &all() const { return taken; }
  auto &changed() { return taken; }
};

struct Ends {
  std::array<Particle *, 2> both;
  int count;
};

std::vector<struct Particle *> Pool::taken;

} // namespace sim

__global__ void step(sim::Particle *p, double *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p[i].x += p[i].v;
    sums[i] += p[i].x;
  }
}

std::array<sim::Particle *, 2> pair(sim::Particle *a, sim::Particle *b) { return {a, b}; }

int countOf(const std::vector<const sim::Particle *> &parts = {}) {
  int count = 0;
  for (auto part : parts)
    if (part != nullptr)
      ++count;
  return count;
}

int main(int argc, char **) {
  const int n = 256, count = argc + 1;
  std::vector<sim::Particle> host(n, {0.5f, 1});
  std::vector<sim::Particle *> parts;
  std::vector<double *> sums(count, nullptr);
  parts.resize(count);
  sim::allocate(parts, n);
  sim::Halo<1> halo;
  sim::allocate(halo.inner.data(), 2, n);
  for (auto part : halo.inner)
    cudaMemset(part, 0, n * sizeof(sim::Particle));
  for (auto *part : parts)
    cudaMemcpy(part, host.data(), n * sizeof(sim::Particle), cudaMemcpyHostToDevice);
  for (int k = 0; k < count; ++k) {
    cudaMalloc((void **)&sums[k], n * sizeof(double));
    cudaMemset(sums[k], 0, n * sizeof(double));
    halo.sides[k % 2] = parts[k];
  }
  std::vector<sim::Particle const *> shown(2, NULL);
  shown[0] = parts[1];
  sim::Particle *first = parts[0], *&second = parts[1];
  if (second && first != second)
    sim::Pool::taken = {first, second};
  auto fresh = std::vector<sim::Particle *>(3);
  fresh = std::vector<sim::Particle *>{second, fresh[1], fresh[2]};
  sim::Ends ends{{first, fresh.front()}, countOf(std::vector<const sim::Particle *>{fresh[0], fresh[1]})};
  step<<<(n + 63) / 64, 64>>>(ends.both[1], sums[0], n);
  auto launch = [&](int k) { step<<<(n + 63) / 64, 64>>>(parts[k], sums.at(k), n); };
  launch(0);
  for (auto *part : pair(first, second))
    step<<<(n + 63) / 64, 64>>>(part + 1, sums.back(), n - 1);
  step<<<(n + 63) / 64, 64>>>(halo.inner[1], sums[0], n);
  halo.outer = halo.inner;
  cudaMemcpy(host.data(), sim::Pool().all()[1], n * sizeof(sim::Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %d %d %d\n", host[7].x, countOf({first, second}), countOf(), ends.count);
  sim::Pool().changed().push_back(0);
  std::printf("%zu\n", sim::Pool().all().size());
  sim::Particle **table = parts.data();
  for (int k = 0; k < count; ++k) {
    cudaFree(table[k]);
    cudaFree(sums[k]);
    cudaFree(halo.inner[k]);
  }
}
