// Functions that are chosen by whether they may change the record, and loops over fields.
#include <cstdio>

struct Particle {
  float mass;
  float pos[3];
  int reads;
};

__device__ float look(const Particle *particle) { return particle->mass; }
__device__ float look(Particle *particle) {
  ++particle->reads;
  return -particle->mass;
}
__device__ float weigh(const float &mass) { return mass; }
__device__ float weigh(float &mass) { return -(mass += 1); }

__global__ void step(Particle *particles, float *sums, int n) {
  const int i = threadIdx.x;
  if (i >= n)
    return;
  float sum = look(particles + i);
  sum += look((const Particle *)(particles + i));
  sum += look(static_cast<const Particle *>(particles) + i);
  const auto *first = particles;
  sum += look(first + i) + weigh(first[i].mass);
  const auto &own = particles[i];
  sum += look(&own) + weigh(own.mass);
  for (const auto *at = particles + i; at != particles + i + 1; ++at)
    sum += look(at);
  auto read = (const Particle *)particles;
  sum += look(read + i) + weigh(particles[i].mass);
  for (float &x : particles[i].pos)
    x += sum;
  for (const float x : own.pos)
    sum += x;
  float(&pos)[3] = particles[i].pos;
  for (auto &x : pos)
    x *= 2;
  sums[i] = sum;
}

int main() {
  const int n = 64;
  Particle host[n], *particles;
  float sums[n], *onDevice;
  for (int i = 0; i < n; ++i)
    host[i] = {float(i), {1, 2, 3}, 0};
  cudaMalloc(&particles, sizeof(host));
  cudaMalloc(&onDevice, sizeof(sums));
  cudaMemcpy(particles, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<1, n>>>(particles, onDevice, n);
  cudaMemcpy(host, particles, sizeof(host), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums, onDevice, sizeof(sums), cudaMemcpyDeviceToHost);
  std::printf("%g %g %d %g\n", sums[5], host[5].mass, host[5].reads, host[5].pos[1]);
  cudaFree(particles);
  cudaFree(onDevice);
}
