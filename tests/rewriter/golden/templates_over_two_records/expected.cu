// Templates over one record that are given another as well.
// clang-format off
#include <cstdio>

struct Spin { float up, down; };
#include "spin_layout.h"
struct Site { int x, y, mark; };
#include "site_layout.h"

__device__ SiteView borders;

__device__ void age(SiteView site) { site.mark() += site.x() > 0; }

template <class T, int B> __global__ void turn(T *spins, SiteView sites, int n) {
  SiteView mine = sites + 1;
  int i = blockIdx.x * B + threadIdx.x;
  if (i + 1 < n) {
    spins[i].up -= spins[i].down;
    mine.mark(i) = sites.x(i) + sites.y(i);
    age(mine + i);
    spins[i].down += borders.mark(i);
  }
}

__global__ void turn(SpinView spins, SiteView sites, int n) {
  SiteView mine = sites + 1;
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i + 1 < n) {
    spins.up(i) -= spins.down(i);
    mine.mark(i) = sites.x(i) + sites.y(i);
    age(mine + i);
    spins.down(i) += borders.mark(i);
  }
}

template <int B> __global__ void mark(SiteView sites, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) sites.x(i) += 1;
}

int main() {
  const int n = 128;
  Spin spins[n];
  Site sites[n];
  for (int i = 0; i < n; ++i) {
    spins[i] = {i + 1.0f, 0.5f};
    sites[i] = {i, 2 * i, 0};
  }
  SpinView a;
  SiteView b;
  spinMalloc(&a, n * sizeof(Spin));
  siteMalloc(&b, n * sizeof(Site));
  spinMemcpy(a, spins, n * sizeof(Spin), cudaMemcpyHostToDevice);
  siteMemcpy(b, sites, n * sizeof(Site), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(borders, &b, sizeof(SiteView));
  turn<<<n / 64, 64>>>(a, b, n);
  mark<32><<<n / 32, 32>>>(b, n);
  spinMemcpy(spins, a, n * sizeof(Spin), cudaMemcpyDeviceToHost);
  siteMemcpy(sites, b, n * sizeof(Site), cudaMemcpyDeviceToHost);
  printf("%g %d\n", spins[3].up, sites[9].mark + sites[9].x);
}
