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

struct World {
  Body *bodies;
  int count;
};

__managed__ Body *strongest;
__managed__ int collisions;

__global__ void move(Body *bodies, const Body *before, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  bodies[i].x += 0.5 * before[i].y;
  if (before[i].mass > 8)
    atomicAdd(&collisions, 1);
}

__global__ void choose(Body *bodies, int which) { strongest = bodies + which; }

void swapBodies(Body &a, Body &b) {
  Body kept = a;
  a = b;
  b = kept;
}

double total(const World &world) {
  double sum = 0;
  for (const Body *body = world.bodies; body != world.bodies + world.count; ++body)
    sum += body->x * body->mass;
  return sum;
}

int main() {
  const int count = 500;
  World world{nullptr, count};
  Body *before, *spare;
  cudaMallocManaged(&world.bodies, count * sizeof(Body));
  cudaMallocManaged((void **)&before, sizeof(Body) * count, cudaMemAttachGlobal);
  if (cudaMallocManaged<Body>(&spare, count * sizeof(Body)) != cudaSuccess)
    return 1;
  Body *plain = (Body *)malloc(count * sizeof(Body));
  for (int i = 0; i < count; ++i)
    plain[i] = {i * 0.25, 1.0 / (i + 1), i % 17 + 0.5f, 0};
  memcpy(world.bodies, plain, count * sizeof(Body));
  std::memset(before, 0, sizeof(Body) * count);
  for (int i = 0; i < count; ++i) {
    before[i] = world.bodies[i];
    before[i].y += i;
  }
  sscanf("2.5 7", "%lf %d", &before[3].x, &before[3].hits);
  swapBodies(before[1], before[2]);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  cudaMemAdvise(before, count * sizeof(Body), cudaMemAdviseSetReadMostly, here);
  cudaMemPrefetchAsync(before, count * sizeof(Body), here, 0);
  move<<<4, 128>>>(world.bodies, before, count);
  choose<<<1, 1>>>(before, 3);
  cudaDeviceSynchronize();
  memcpy(spare, world.bodies, count * sizeof(*spare));
  memcpy(plain, &spare[100], 2 * sizeof(Body));
  std::printf("%.9g %.9g %d %d\n", total(world), plain[1].x, collisions, strongest->hits);
  cudaMemset(spare, 0, 10 * sizeof(Body));
  cudaMemcpy(spare + 10, before, 20 * sizeof(Body), cudaMemcpyHostToHost);
  cudaMemcpy(plain, spare, count * sizeof(Body), cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", std::max(plain[12].x, spare[13].x), plain[13].hits);
  free(plain);
  cudaFree(world.bodies);
  cudaFree(before);
  cudaFree(spare);
}
