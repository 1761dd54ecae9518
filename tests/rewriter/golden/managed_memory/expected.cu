// Arrays in managed memory: host code reaches the elements that kernels work on.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Body {
  double x, y;
  float mass;
  int hits;
}; // 24 bytes
#include "body_layout.h"

struct World {
  BodyView bodies;
  int count;
};

__managed__ BodyView strongest;
__managed__ int collisions;

__global__ void move(BodyView bodies, ConstBodyView before, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  bodies.x(i) += 0.5 * before.y(i);
  if (before.mass(i) > 8)
    atomicAdd(&collisions, 1);
}

__global__ void choose(BodyView bodies, int which) { strongest = bodies + which; }

void swapBodies(BodyView a, BodyView b) {
  Body kept = a.load();
  a.store(0, b.load());
  b.store(0, kept);
}

double total(const World &world) {
  double sum = 0;
  for (ConstBodyView body = world.bodies; body != world.bodies + world.count; ++body)
    sum += body.x() * body.mass();
  return sum;
}

int main() {
  const int count = 500;
  World world{nullptr, count};
  BodyView before, spare;
  bodyMallocManaged(&world.bodies, count * sizeof(Body));
  bodyMallocManaged(&before, sizeof(Body) * count, cudaMemAttachGlobal);
  if (bodyMallocManaged(&spare, count * sizeof(Body)) != cudaSuccess)
    return 1;
  Body *plain = (Body *)malloc(count * sizeof(Body));
  for (int i = 0; i < count; ++i)
    plain[i] = {i * 0.25, 1.0 / (i + 1), i % 17 + 0.5f, 0};
  bodyHostMemcpy(world.bodies, plain, count * sizeof(Body));
  bodyHostMemset(before, 0, sizeof(Body) * count);
  for (int i = 0; i < count; ++i) {
    before.store(i, world.bodies.load(i));
    before.y(i) += i;
  }
  sscanf("2.5 7", "%lf %d", &before.x(3), &before.hits(3));
  swapBodies(before + 1, before + 2);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  bodyMemAdvise(before, count * sizeof(Body), cudaMemAdviseSetReadMostly, here);
  bodyMemPrefetchAsync(before, count * sizeof(Body), here, 0);
  move<<<4, 128>>>(world.bodies, before, count);
  choose<<<1, 1>>>(before, 3);
  cudaDeviceSynchronize();
  bodyHostMemcpy(spare, world.bodies, count * sizeof(Body));
  bodyHostMemcpy(plain, spare + 100, 2 * sizeof(Body));
  std::printf("%.9g %.9g %d %d\n", total(world), plain[1].x, collisions, strongest.hits());
  bodyMemset(spare, 0, 10 * sizeof(Body));
  bodyMemcpy(spare + 10, before, 20 * sizeof(Body), cudaMemcpyHostToHost);
  bodyMemcpy(plain, spare, count * sizeof(Body), cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", std::max(plain[12].x, spare.x(13)), plain[13].hits);
  free(plain);
  bodyFree(world.bodies);
  bodyFree(before);
  bodyFree(spare);
}
