// Macros whose bodies read fields of what they are given.
#include <cstdio>
#include <vector>

struct Site {
  float x, y;
  int owner;
  float corner[2];
};
#include "site_layout.h"

#define SQUARE(a) ((a) * (a))
#define DISTANCE(p, q) (SQUARE((p).x - (q).x) + SQUARE(p.y - q.y) + p.corner[0])

__global__ void assign(SiteView sites, ConstSiteView centres, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float least = 1e30f;
  for (int j = 0; j < k; ++j)
    if (DISTANCE(sites.load(i), centres.load(j)) < least) {
      least = DISTANCE(sites.load(i), centres.load(j));
      sites.owner(i) = j;
    }
}

int main() {
  const int n = 50, k = 4;
  std::vector<Site> sites(n), centres(k);
  for (int i = 0; i < n; ++i)
    sites[i] = Site{1.0f * i, 2.0f * i, -1, {1, 2}};
  for (int j = 0; j < k; ++j)
    centres[j] = Site{10.0f * j, 20.0f * j, 0, {0, 0}};
  const float apart = DISTANCE(sites[0], centres[1]);
  SiteView deviceSites, deviceCentres;
  siteMalloc(&deviceSites, n * sizeof(Site));
  siteMalloc(&deviceCentres, k * sizeof(Site));
  siteMemcpy(deviceSites, sites.data(), n * sizeof(Site), cudaMemcpyHostToDevice);
  siteMemcpy(deviceCentres, centres.data(), k * sizeof(Site), cudaMemcpyHostToDevice);
  assign<<<2, 32>>>(deviceSites, deviceCentres, n, k);
  siteMemcpy(sites.data(), deviceSites, n * sizeof(Site), cudaMemcpyDeviceToHost);
  std::printf("%g %d %d\n", apart, sites[7].owner, sites[49].owner);
  siteFree(deviceSites);
  siteFree(deviceCentres);
}
