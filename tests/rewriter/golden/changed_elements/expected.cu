// Elements that their own operators and methods change.
// clang-format off
#include <cstdio>

struct Vec3 {
  float x, y, z;
  __host__ __device__ Vec3 &operator+=(const Vec3 &b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  __host__ __device__ float length() const { return sqrtf(x * x + y * y + z * z); }
};
#include "vec3_layout.h"

__host__ __device__ Vec3 operator*(const Vec3 &a, float s) { return {a.x * s, a.y * s, a.z * s}; }

struct Particle {
  Vec3 pos, vel;
  float mass;
  int hits;

  __host__ __device__ void advance(float dt) {
    pos += vel * dt;
    if (pos.x > 10)
      pos.x -= 10;
  }
  __host__ __device__ void scale(float s) {
    mass *= s;
    for (int k = 0; k < 2; ++k)
      mass += clampedTo(s);
  }
  __host__ __device__ float lighter(float by) {
    mass -= by;
    return mass;
  }
  __host__ __device__ float clampedTo(float s) { return mass > s ? s : mass; }
};
#include "particle_layout.h"

__host__ __device__ Particle &operator<<=(Particle &p, int n) {
  p.hits = p.hits << n;
  return p;
}

__host__ __device__ float next(int &state) {
  state = state * 1103515245 + 12345;
  return (state >> 16 & 1023) / 1024.0f;
}

__host__ __device__ Vec3 &operator-=(Vec3 &a, const Vec3 &b) {
  a.x -= b.x;
  a.y -= b.y;
  a.z -= b.z;
  return a;
}

__global__ void step(ParticleView p, Vec3View force, ConstVec3View wind, int *index, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  {
    Vec3 element = force.load(i);
    element += wind.load(i);
    force.store(i, element);
  }
  {
    Vec3 element = force.load(i);
    element += force.load(i);
    force.store(i, element);
  }
  p.vel(i) += force.load(i) * dt;
  {
    Particle element = p.load(i);
    element.advance(dt);
    p.pos(i) = element.pos;
  }
  ParticleView own = p + i;
  if (own.mass() > 1) {
    Particle element = own.load();
    element.scale(0.5f);
    own.mass() = element.mass;
  } else {
    Particle element = own.load();
    element <<= 1;
    own.hits() = element.hits;
  }
  for (int k = 0; k < 2; ++k) {
    Particle element = p.load(index[i]);
    element.scale(1.0f + k);
    p.mass(index[i]) = element.mass;
  }
  {
    Particle element = (p + index[i]).load();
    element.scale(0.75f);
    (p + index[i]).mass() = element.mass;
  }
  atomicAdd(&p.hits(0), 1);
  int state = i;
  for (int k = 0; k < 2; ++k) {
    const auto value = Vec3{next(state), 1, 0};
    Vec3 element = force.load(i);
    element += value;
    force.store(i, element);
  }
    {
      const auto value = Vec3{next(state), 0, 1};
      Vec3 element = force.load(i);
      element -= value;
      force.store(i, element);
    }
  float least = 0;
  {
    Particle element = p.load(i);
    least = element.lighter(0.125f);
    p.mass(i) = element.mass;
  }
  force.y(i) += least;
  force.z(i) += p.load(i).clampedTo(0.5f) + own.load().clampedTo(2.0f);
}

// All of its arrays change, as the loops are over all elements.
struct Flow {
  float mass, moments[3], stress[2][3];
  __host__ __device__ Flow &operator+=(const Flow &o) {
    mass += o.mass;
    for (int d = 0; d < 3; ++d) {
      moments[d] += o.moments[d];
      for (int k = 0; k < 2; k++)
        stress[k][d] -= o.stress[k][d];
    }
    return *this;
  }
};
#include "flow_layout.h"

__global__ void gather(FlowView flow, ConstFlowView sources, int n) {
  int i = threadIdx.x;
  if (i < n) {
    Flow element = flow.load(i);
    element += sources.load(n - 1 - i);
    flow.store(i, element);
  }
}

int main() {
  const int n = 100;
  Particle host[n];
  Vec3 forces[n];
  int order[n];
  for (int i = 0; i < n; ++i) {
    host[i] = {{1.0f * i, 2, 3}, {0.5f * i, 1, -1}, 0.02f * i, i};
    forces[i] = {0.1f * i, 0.25f, 1};
    order[i] = n - 1 - i;
  }
  ParticleView p;
  Vec3View force, wind;
  int *index;
  particleMalloc(&p, sizeof(host));
  vec3Malloc(&force, sizeof(forces));
  vec3Malloc(&wind, sizeof(forces));
  cudaMalloc(&index, sizeof(order));
  particleMemcpy(p, host, n * sizeof(Particle), cudaMemcpyHostToDevice);
  vec3Memcpy(force, forces, n * sizeof(Vec3), cudaMemcpyHostToDevice);
  vec3Memcpy(wind, forces, n * sizeof(Vec3), cudaMemcpyHostToDevice);
  cudaMemcpy(index, order, sizeof(order), cudaMemcpyHostToDevice);
  step<<<1, 128>>>(p, force, wind, index, n, 0.125f);
  particleMemcpy(host, p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  vec3Memcpy(forces, force, n * sizeof(Vec3), cudaMemcpyDeviceToHost);
  Flow flows[n];
  FlowView flow;
  FlowView sources;
  for (int i = 0; i < n; ++i)
    flows[i] = {1.0f * i, {2.0f * i, 1, 3}, {{1, 2, 0.5f * i}, {4, 5, 6}}};
  flowMalloc(&flow, sizeof(flows));
  flowMalloc(&sources, sizeof(flows));
  flowMemcpy(flow, flows, sizeof(flows), cudaMemcpyHostToDevice);
  flowMemcpy(sources, flows, sizeof(flows), cudaMemcpyHostToDevice);
  gather<<<1, 128>>>(flow, sources, n);
  flowMemcpy(flows, flow, sizeof(flows), cudaMemcpyDeviceToHost);
  double sum = flows[1].mass + flows[2].moments[0] + flows[3].stress[0][2];
  for (int i = 0; i < n; ++i)
    sum += host[i].pos.x + host[i].vel.y + host[i].mass + host[i].hits + forces[i].length();
  std::printf("%.9g\n", sum);
}
