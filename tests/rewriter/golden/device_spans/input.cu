// Spans of the library over device memory: parameters, members, aliases, parts; others over the host's.
// clang-format off
#include <cstdio>
#include <span>
#include <vector>

namespace sim {

struct Body {
  float x, y, z;
  float mass;
};

using Bodies = std::span<Body>;
using ConstBodies = std::span<const Body>;

struct Scene {
  Bodies bodies;
  std::span<Body> spare;
  float dt;
};

__device__ float massAround(ConstBodies others, const Body &own) {
  float all = 0;
  for (const auto &other : others)
    if (other.z != own.z)
      all += other.mass;
  return all;
}

__global__
void kick(Scene scene) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= scene.bodies.size())
    return;
  auto &body = scene.bodies[i];
  body.x += massAround(scene.bodies, body) * scene.dt;
  for (auto &spare : scene.spare) {
    spare.y += 1;
  }
}

__global__ void drift(std::span<Body> bodies, float dt) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < bodies.size(); i += gridDim.x * blockDim.x) {
    Body body = bodies[i];
    body.z += dt * body.x;
    bodies[i] = body;
  }
}

__global__ void total(ConstBodies bodies, float *mass) {
  if (bodies.empty())
    return;
  float all = bodies.front().mass + bodies.back().mass;
  for (const Body &body : bodies.subspan(1, 10))
    all += body.mass;
  for (auto [x, y, z, m] : bodies.last(5))
    all += x * m;
  *mass = all + bodies.data()[3].mass;
}

double sum(std::span<const Body> bodies) {
  double all = 0;
  for (const Body &body : bodies)
    all += body.x + body.z;
  return all;
}

Bodies allocate(std::size_t n) {
  Body *bodies = nullptr;
  cudaMalloc(&bodies, n * sizeof(Body));
  return {bodies, n};
}

void upload(Bodies to, const std::vector<Body> &from) {
  cudaMemcpy(to.data(), from.data(), to.size_bytes(), cudaMemcpyHostToDevice);
}

} // namespace sim

int main() {
  const std::size_t n = 1000;
  std::vector<sim::Body> host(n);
  for (std::size_t i = 0; i < n; ++i)
    host[i] = {float(i % 10), float(i % 17), float(i % 23), 1.0f + i % 3};
  sim::Bodies bodies = sim::allocate(n);
  std::span<sim::Body> all = bodies;
  upload(all, host);
  float *mass;
  cudaMalloc(&mass, sizeof(float));
  sim::Scene scene{all, {}, 0.01f};
  for (int step = 0; step < 3; ++step) {
    sim::kick<<<(n + 127) / 128, 128>>>(scene);
    sim::drift<<<4, 128>>>(all.first(n / 2), 0.01f);
    sim::drift<<<4, 128>>>(all.subspan(n / 2), 0.01f);
  }
  sim::total<<<1, 1>>>({bodies.data(), n}, mass);
  float m;
  cudaMemcpy(&m, mass, sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(host.data(), bodies.data(), bodies.size_bytes(), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", m, sum(host));
  cudaFree(bodies.data());
  cudaFree(mass);
}
