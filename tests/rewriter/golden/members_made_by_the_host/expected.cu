// Members whose constructor is the host's alone, and does more than to set them: device code, and
// what converts records on the host, makes none. Nor is a record made whose members must be given.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Place {
  float x, y;
  Place() : x(rand() % 8), y(rand() % 8) {}
  __host__ __device__ Place(float a, float b) : x(a), y(b) {}
};

class Ant {
public:
  __host__ __device__ void walk(float by) { here.x += by; seen[1] = here; ++steps; }
  __host__ __device__ float distance() const { return here.x - home.x + seen[1].y; }

private:
  Place here, home;
  int steps = 0;
  Place seen[2];
};
#include "ant_layout.h"

inline __host__ __device__ void walkAnt(AntView ant, float by) { ant.here().x += by; ant.seen()[1] = ant.here(); ++ant.steps(); }

struct Crumb {
  Place place;
  float weight;
};
#include "crumb_layout.h"

struct Nest {
  const int number;
  float food;
};
#include "nest_layout.h"

__global__ void walk(AntView ants, CrumbView crumbs, NestView nests, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  walkAnt(ants + i, 0.5f);
  Crumb crumb = crumbs.load(i);
  crumb.weight += ants.load(i).distance() + crumb.place.y;
  crumbs.store(i, crumb);
  nests.food(i) += nests.number(i) + 1;
}

int main() {
  const int n = 64;
  Ant *ants = new Ant[n];
  AntView a;
  Crumb *crumbs = new Crumb[n];
  CrumbView c;
  for (int i = 0; i < n; ++i) crumbs[i].weight = i;
  antMalloc(&a, n * sizeof(Ant));
  crumbMalloc(&c, n * sizeof(Crumb));
  NestView nests;
  nestMalloc(&nests, n * sizeof(Nest));
  nestMemset(nests, 0, n * sizeof(Nest));
  antMemcpy(a, ants, n * sizeof(Ant), cudaMemcpyHostToDevice);
  crumbMemcpy(c, crumbs, n * sizeof(Crumb), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; ++k)
    walk<<<2, 32>>>(a, c, nests, n);
  antMemcpy(ants, a, n * sizeof(Ant), cudaMemcpyDeviceToHost);
  crumbMemcpy(crumbs, c, n * sizeof(Crumb), cudaMemcpyDeviceToHost);
  printf("%g %g %d\n", ants[3].distance(), crumbs[5].weight, rand());
}
