// Addresses of arrays that the program prints.
#include <cstdio>
#include <vector>

struct Particle {
  float x, v;
  int id;
};

__global__ void move(Particle *particles, int n) {
  const int i = threadIdx.x;
  if (i < n)
    particles[i].x += particles[i].v;
}

int main() {
  const int n = 64;
  std::vector<Particle> host(n, Particle{1, 2, 3});
  Particle *particles = nullptr;
  if (cudaMalloc(&particles, n * sizeof(Particle)) != cudaSuccess)
    return 1;
  std::fprintf(stderr, "%d particles at %p\n", n, particles);
  std::fprintf(stderr, "the second at %p\n", (void *)(particles + 1));
  cudaMemcpy(particles, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  move<<<1, n>>>(particles, n);
  cudaMemcpy(host.data(), particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%f\n", host[5].x);
  cudaFree(particles);
}
