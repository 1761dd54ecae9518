// Device pointers that start with memory of the host, or are assigned it, which nothing uses.
#include <cstdio>
#include <cstdlib>

struct Particle {
  float x, y, vx, vy;
};
#include "particle_layout.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess)                                                                     \
      return 1;                                                                                    \
  } while (0)

__global__ void move(ParticleView to, ConstParticleView from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Particle p = from.load(i);
  p.x += p.vx;
  p.y += p.vy;
  to.store(i, p);
}

int main(int argc, char **argv) {
  int n = 1000;
  Particle *h = new Particle[n]();
  ParticleView d = nullptr; // a leak
  ParticleView out = nullptr;
  ParticleView either = nullptr;
  ParticleView later;
  later = nullptr;
  for (int i = 0; i < n; ++i)
    h[i] = {1.f * i, 2, 3, 0.5f * i};
  if (n > 2000)
    return 2;
  CHECK(particleMalloc(&d, n * sizeof(Particle)));
  if (argc > 5)
    either = d;
  else
    CHECK(particleMalloc(&either, n * sizeof(Particle)));
  particleMalloc(&out, n * sizeof(Particle));
  particleMallocManaged(&later, n * sizeof(Particle));
  for (int i = 0; i < n; ++i)
    later.vx(i) = i;
  particleMemcpy(d, h, n * sizeof(Particle), cudaMemcpyHostToDevice);
  move<<<(n + 127) / 128, 128>>>(either, d, n);
  move<<<(n + 127) / 128, 128>>>(out, either, n);
  move<<<(n + 127) / 128, 128>>>(later, out, n);
  cudaDeviceSynchronize();
  particleMemcpy(h, out, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", h[3].x, h[999].y, later.x(2));
  particleFree(d);
  particleFree(out);
  particleFree(either);
  particleFree(later);
  delete[] h;
}
