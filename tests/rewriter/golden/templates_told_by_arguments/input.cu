// Instances of templates whose parameters are the same.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

enum Mode { kDrift, kKick };

struct Particle { float x, v; double mass; };

template <class T, int SIGN, bool DAMPED> __device__ void push(T *p, int i, float dt) {
  p[i].v += SIGN * dt;
  if (DAMPED) p[i].v *= 0.5f;
}

template <class T, Mode MODE> __global__ void step(T *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (MODE == kDrift) {
    p[i].x += p[i].v * dt;
    push<T, -1, false>(p, i, dt);
  } else {
    push<T, 1, true>(p, i, dt);
  }
}

template <int EACH, class Real, class T> __global__ void scale(T *p, int n, Real by) {
  int i = EACH * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < EACH; ++k)
    if (i + k < n) p[i + k].mass *= by;
}

// What is computed with a number depends on its type.
template <class T, unsigned BINS, unsigned long long BIT, short HALF> __global__ void bin(T *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].mass += (i - 5) % BINS + (BIT << i % 40) + sizeof(HALF);
}

template <class T, class Count> __global__ void count(T *p, Count by) {
  int i = threadIdx.x;
  p[i].mass += Count(p[i].x) / by;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i) host[i] = {float(i), 1, 2};
  Particle *p;
  cudaMalloc(&p, n * sizeof(Particle));
  cudaMemcpy(p, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  step<Particle, kDrift><<<(n + 127) / 128, 128>>>(p, n, 0.5f);
  step<Particle, kKick><<<(n + 127) / 128, 128>>>(p, n, 0.5f);
  scale<1><<<(n + 127) / 128, 128>>>(p, n, 1.5f);
  scale<4><<<(n + 127) / 128, 128>>>(p, n, 2.5f);
  scale<4, double><<<(n + 127) / 128, 128>>>(p, n, 3.5);
  bin<Particle, 10, 1, 2><<<(n + 127) / 128, 128>>>(p, n);
  count<<<1, 1>>>(p, 3u);
  cudaMemcpy(host.data(), p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Particle &particle : host) sum += particle.x + particle.v + particle.mass;
  std::printf("%g\n", sum);
  cudaFree(p);
}
