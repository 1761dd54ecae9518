// Structured bindings name the members of a struct that holds the array.
#include <cstdio>
#include <vector>

struct Particle {
  float x, y, vx, vy;
  int id;
};

struct Particles {
  Particle *data;
  int count;
};

Particles upload(const std::vector<Particle> &host) {
  Particles made{nullptr, static_cast<int>(host.size())};
  cudaMalloc(&made.data, host.size() * sizeof(Particle));
  cudaMemcpy(made.data, host.data(), host.size() * sizeof(Particle), cudaMemcpyHostToDevice);
  return made;
}

__global__ void move(Particles particles, float dt) {
  auto [data, count] = particles;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    data[i].x += dt * data[i].vx;
    data[i].y += dt * data[i].vy;
  }
}

__global__ void turn(Particle *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i].vx = -data[i].vx;
}

int main() {
  std::vector<Particle> host(300);
  for (int i = 0; i < 300; ++i)
    host[i] = {1.0f * i, 2.0f * i, 1, 2, i};
  const Particles particles = upload(host);
  const auto &[data, count] = particles;
  move<<<(count + 127) / 128, 128>>>(particles, 0.5f);
  turn<<<(count + 127) / 128, 128>>>(data, count);
  cudaMemcpy(host.data(), data, count * sizeof(Particle), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Particle &particle : host)
    sum += particle.x - particle.y + particle.vx;
  std::printf("%f\n", sum);
  cudaFree(data);
}
