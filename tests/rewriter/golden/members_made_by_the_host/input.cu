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

struct Crumb {
  Place place;
  float weight;
};

struct Nest {
  const int number;
  float food;
};

__global__ void walk(Ant *ants, Crumb *crumbs, Nest *nests, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  ants[i].walk(0.5f);
  Crumb crumb = crumbs[i];
  crumb.weight += ants[i].distance() + crumb.place.y;
  crumbs[i] = crumb;
  nests[i].food += nests[i].number + 1;
}

int main() {
  const int n = 64;
  Ant *ants = new Ant[n], *a;
  Crumb *crumbs = new Crumb[n], *c;
  for (int i = 0; i < n; ++i) crumbs[i].weight = i;
  cudaMalloc(&a, n * sizeof(Ant));
  cudaMalloc(&c, n * sizeof(Crumb));
  Nest *nests;
  cudaMalloc(&nests, n * sizeof(Nest));
  cudaMemset(nests, 0, n * sizeof(Nest));
  cudaMemcpy(a, ants, n * sizeof(Ant), cudaMemcpyHostToDevice);
  cudaMemcpy(c, crumbs, n * sizeof(Crumb), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; ++k)
    walk<<<2, 32>>>(a, c, nests, n);
  cudaMemcpy(ants, a, n * sizeof(Ant), cudaMemcpyDeviceToHost);
  cudaMemcpy(crumbs, c, n * sizeof(Crumb), cudaMemcpyDeviceToHost);
  printf("%g %g %d\n", ants[3].distance(), crumbs[5].weight, rand());
}
