// Thrust's vectors that one function fills, hands to kernels and reads.
// clang-format off
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <vector>

struct Particle {
  float x, y;
  char kind;
  double mass;
};

__global__ void move(Particle *particles, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    particles[i].x += dt * particles[i].y * particles[i].mass;
}

int main() {
  const int n = 100;
  thrust::host_vector<Particle> h(n);
  for (int i = 0; i < n; ++i)
    h[i] = {float(i), 1.0f / (i + 1), char(i % 3), 2.0};
  thrust::device_vector<Particle> d = h;
  for (int step = 0; step < 3; ++step)
    move<<<(n + 31) / 32, 32>>>(thrust::raw_pointer_cast(d.data()), n, 0.5f);
  h = d;
  std::printf("%g\n", h[7].x);

  thrust::device_vector<Particle> zeros(n);
  move<<<(n + 31) / 32, 32>>>(thrust::raw_pointer_cast(&zeros[0]), n, 0.5f);
  std::vector<Particle> back(n);
  thrust::copy(zeros.begin(), zeros.end(), back.begin());
  thrust::copy(h.begin(), h.end(), zeros.begin());
  cudaMemcpy(back.data(), zeros.data().get(), n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", back[7].x, back[n - 1].mass);
}
