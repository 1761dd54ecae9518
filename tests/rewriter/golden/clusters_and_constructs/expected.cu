// One of each construct that a rewrite knows.
#include <cstdio>
#include <utility>
#include <vector>

namespace sim {
namespace {

struct Velocity {
  float x, y, z;
};

struct Body {
  float pos[3];
  float mass;
  Velocity v;
  int next, hits;
  __host__ __device__ float energy() const { return 0.5f * mass * (v.x * v.x + v.y * v.y); }
};
} // namespace
} // namespace sim
#include "body_layout.h"
namespace sim {
namespace {

typedef Body *BodyPointer;

struct World {
  BodyView bodies = nullptr;
  ConstBodyView seen;
  int count;
};

__host__ __device__ inline float weight(const Body &b, float g) { return b.mass * g; }

__device__ inline void damp(float &value, float factor) { value *= factor; }

__device__ void kick(BodyView b, float amount) { b.v().x += amount; }

__device__ BodyView at(BodyView bodies, int i);

__device__ ConstBodyView nextOf(ConstBodyView bodies, int i) { return bodies + bodies.next(i); }

template <int Stride> __device__ float strided(ConstBodyView b, int i) {
  return b.pos(i * Stride)[Stride % 3];
}

__device__ BodyView at(BodyView bodies, int i) { return bodies + i; }

} // namespace

__global__ void step(BodyView bodies, const ConstBodyView old, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  BodyView me = bodies + i, last;
  last = bodies + (n - 1);
  BodyView self = bodies + i;
  auto other = old + (i ^ 1);
  auto same = old + i;
  Body copy = old.load(i);
  copy.mass += old.mass(old.next(i)) + other.mass() + (other + 0).pos()[1] + same.v().y;
  me.v().x = copy.energy() + old.load(i).energy() + other.load().energy() + weight(other.load(), 9.8f);
  self.pos()[i % 3] += strided<2>(old, i / 2) + strided<1>(old, i);
  kick(self, 0.25f);
  kick(bodies + i, 0.5f);
  kick(at(bodies, i), 0.125f);
  damp(self.v().z, 0.5f);
  atomicAdd(&bodies.hits(old.next(i)), 1);
  ++me.next();
  me.next()--;
  me.mass() = last == me ? 1.0f : copy.mass;
  if (nextOf(old, i) != nullptr && me - bodies == i)
    bodies.v(i).y = (i & 1 ? me : (bodies + i)).v().x;
  Body spare = me.load();
  spare.mass = spare.mass + 1;
  bodies.store(i, spare);
  me.store(0, spare);
  bodies.store(i, {{1, 2, spare.pos[2]}, spare.mass, {4, 5, 6}, spare.next, spare.hits});
}

__global__ void sweep(World world) {
  ConstBodyView p = world.seen;
  for (BodyView b = world.bodies; b < world.bodies + world.count; b++, ++p)
    if (threadIdx.x == 0 && p)
      b.mass() += p.mass();
}

BodyView allocate(int n) {
  BodyView p = nullptr;
  if (bodyMalloc(&p, n * sizeof(sim::Body)) != cudaSuccess)
    return NULL;
  return p;
}

} // namespace sim

int main() {
  using namespace sim;
  const int n = 256;
  std::vector<Body> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = Body{{i * 1.0f, i * 2.0f, i * 3.0f}, 1.0f + i, {0.5f, i * 0.1f, 2}, (i * 7) % n, 0};
  BodyView a = allocate(n), b = allocate(n);
  if (!a || !b)
    return 1;
  bodyMemcpy(a, &host[0], sizeof(sim::Body) * n, cudaMemcpyHostToDevice);
  bodyMemcpy(b, a, n * sizeof(Body), cudaMemcpyDeviceToDevice);
  std::swap(a, b);
  step<<<n / 64, 64>>>(a, b, n);
  World world = {a, b, n};
  sweep<<<1, 32>>>(world);
  bodyMemcpy(host.data(), a, n * sizeof(Body), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Body &h : host)
    sum += h.pos[0] + h.pos[1] + h.pos[2] + h.mass + h.v.x + h.v.y + h.v.z + h.next + h.hits;
  std::printf("%.9g\n", sum);
  bodyFree(a);
  bodyFree(b);
}
