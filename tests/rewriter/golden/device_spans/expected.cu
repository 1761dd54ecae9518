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
} // namespace sim
#include "body_layout.h"
namespace sim {

/// A part of an array in device memory, as a std::span<Body> is of any.
class BodySpan {
public:
  BodySpan() = default;
  __host__ __device__ BodySpan(BodyView data, std::size_t size) : data_(data), size_(size) {}

  __host__ __device__ BodyView operator[](std::size_t i) const { return data_ + i; }
  __host__ __device__ BodyView data() const { return data_; }
  __host__ __device__ std::size_t size() const { return size_; }
  __host__ __device__ std::size_t size_bytes() const { return size_ * sizeof(Body); }
  __host__ __device__ BodySpan subspan(std::size_t offset,
                                std::size_t count = std::dynamic_extent) const {
    return BodySpan(data_ + offset, count != std::dynamic_extent ? count : size_ - offset);
  }
  __host__ __device__ BodySpan first(std::size_t count) const { return BodySpan(data_, count); }

private:
  BodyView data_ = nullptr;
  std::size_t size_ = 0;
};

/// The same of elements that do not change.
class ConstBodySpan {
public:
  ConstBodySpan() = default;
  __host__ __device__ ConstBodySpan(ConstBodyView data, std::size_t size) : data_(data), size_(size) {}
  __host__ __device__ ConstBodySpan(const BodySpan &other) : data_(other.data()), size_(other.size()) {}

  __host__ __device__ ConstBodyView operator[](std::size_t i) const { return data_ + i; }
  __host__ __device__ ConstBodyView front() const { return data_; }
  __host__ __device__ ConstBodyView back() const { return data_ + (size_ - 1); }
  __host__ __device__ ConstBodyView data() const { return data_; }
  __host__ __device__ std::size_t size() const { return size_; }
  __host__ __device__ bool empty() const { return size_ == 0; }
  __host__ __device__ ConstBodySpan subspan(std::size_t offset,
                                std::size_t count = std::dynamic_extent) const {
    return ConstBodySpan(data_ + offset, count != std::dynamic_extent ? count : size_ - offset);
  }
  __host__ __device__ ConstBodySpan last(std::size_t count) const {
    return ConstBodySpan(data_ + (size_ - count), count);
  }

private:
  ConstBodyView data_ = nullptr;
  std::size_t size_ = 0;
};

using Bodies = BodySpan;
using ConstBodies = ConstBodySpan;

struct Scene {
  Bodies bodies;
  BodySpan spare;
  float dt;
};

__device__ float massAround(ConstBodies others, const Body &own) {
  float all = 0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    auto other = others[i];
    if (other.z() != own.z)
      all += other.mass();
  }
  return all;
}

__global__
void kick(Scene scene) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= scene.bodies.size())
    return;
  auto body = scene.bodies[i];
  body.x() += massAround(scene.bodies, body.load()) * scene.dt;
  for (std::size_t i = 0; i < scene.spare.size(); ++i) {
    auto spare = scene.spare[i];
    spare.y() += 1;
  }
}

__global__ void drift(BodySpan bodies, float dt) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < bodies.size(); i += gridDim.x * blockDim.x) {
    Body body = bodies[i].load();
    body.z += dt * body.x;
    bodies[i].store(0, body);
  }
}

__global__ void total(ConstBodies bodies, float *mass) {
  if (bodies.empty())
    return;
  float all = bodies.front().mass() + bodies.back().mass();
  for (auto rest = bodies.subspan(1, 10); !rest.empty(); rest = rest.subspan(1)) {
    ConstBodyView body = rest.front();
    all += body.mass();
  }
  for (auto rest = bodies.last(5); !rest.empty(); rest = rest.subspan(1)) {
    auto [x, y, z, m] = rest.front().load();
    all += x * m;
  }
  *mass = all + bodies.data().mass(3);
}

double sum(std::span<const Body> bodies) {
  double all = 0;
  for (const Body &body : bodies)
    all += body.x + body.z;
  return all;
}

Bodies allocate(std::size_t n) {
  BodyView bodies = nullptr;
  bodyMalloc(&bodies, n * sizeof(Body));
  return {bodies, n};
}

void upload(Bodies to, const std::vector<Body> &from) {
  bodyMemcpy(to.data(), from.data(), to.size_bytes(), cudaMemcpyHostToDevice);
}

} // namespace sim

int main() {
  const std::size_t n = 1000;
  std::vector<sim::Body> host(n);
  for (std::size_t i = 0; i < n; ++i)
    host[i] = {float(i % 10), float(i % 17), float(i % 23), 1.0f + i % 3};
  sim::Bodies bodies = sim::allocate(n);
  sim::BodySpan all = bodies;
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
  bodyMemcpy(host.data(), bodies.data(), bodies.size_bytes(), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", m, sum(host));
  bodyFree(bodies.data());
  cudaFree(mass);
}
