// Device pointers that start with memory of the host, or are assigned it, which nothing uses.
#include <cstdio>
#include <cstdlib>

struct Particle {
  float x, y, vx, vy;
};

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess)                                                                     \
      return 1;                                                                                    \
  } while (0)

__global__ void move(Particle *to, const Particle *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Particle p = from[i];
  p.x += p.vx;
  p.y += p.vy;
  to[i] = p;
}

int main(int argc, char **argv) {
  int n = 1000;
  Particle *h = new Particle[n](), *d = new Particle[n]; // a leak
  Particle *out = (Particle *)malloc(n * sizeof(Particle));
  Particle *either = static_cast<Particle *>(calloc(n, sizeof(Particle)));
  Particle *later;
  later = (Particle *)malloc(n * sizeof(Particle));
  for (int i = 0; i < n; ++i)
    h[i] = {1.f * i, 2, 3, 0.5f * i};
  if (n > 2000)
    return 2;
  CHECK(cudaMalloc(&d, n * sizeof(Particle)));
  if (argc > 5)
    either = d;
  else
    CHECK(cudaMalloc((void **)&either, n * sizeof(Particle)));
  cudaMalloc((void **)&out, n * sizeof(Particle));
  cudaMallocManaged(&later, n * sizeof(Particle));
  for (int i = 0; i < n; ++i)
    later[i].vx = i;
  cudaMemcpy(d, h, n * sizeof(Particle), cudaMemcpyHostToDevice);
  move<<<(n + 127) / 128, 128>>>(either, d, n);
  move<<<(n + 127) / 128, 128>>>(out, either, n);
  move<<<(n + 127) / 128, 128>>>(later, out, n);
  cudaDeviceSynchronize();
  cudaMemcpy(h, out, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", h[3].x, h[999].y, later[2].x);
  cudaFree(d);
  cudaFree(out);
  cudaFree(either);
  cudaFree(later);
  delete[] h;
}
