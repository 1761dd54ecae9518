// Records whose alignment others depend on are aligned in device memory alone: a struct that has one
// inside would grow, bytes that are taken for one may stand anywhere, functions of other programs
// pass it as they know it, and what is computed with it would change.
#include <array>
#include <cuda_runtime.h>

struct Spin {
  float x, y, z, w;
};
#include "spin_layout.h"
struct Site {
  int number;
  Spin spin;
};
struct Wave {
  float re, im, phase, weight;
};
#include "wave_layout.h"
struct Part {
  float a, b, c, d;
};
#include "part_layout.h"
struct Whole : Part {
  int last;
};
struct Ray {
  float x, y, z, w;
};
#include "ray_layout.h"
struct Beam {
  int number;
  std::array<Ray, 2> rays;
};
struct Page {
  double value;
  int from, to;
};
#include "page_layout.h"

struct Probe {
  float a, b, c, d;
};
#include "probe_layout.h"
Probe measured(int i); // in a library

__global__ void turn(SpinView spins, WaveView waves, PartView parts, ProbeView probes, RayView rays,
                     PageView pages) {
  const int i = threadIdx.x;
  rays.x(i) += rays.y(i);
  pages.from(i) += alignof(Page);
  spins.x(i) += spins.y(i) * waves.re(i);
  parts.a(i) += waves.im(i) + probes.a(i);
}

float first(const char *file) {
  const Wave *wave = (const Wave *)(file + 4);
  Site site = {};
  Whole whole = {};
  Beam beam = {};
  return beam.rays[1].x + wave->re + site.spin.x + whole.last;
}

void run(int n) {
  SpinView spins;
  WaveView waves;
  PartView parts;
  ProbeView probes;
  Probe probe = measured(n);
  spinMalloc(&spins, n * sizeof(Spin));
  waveMalloc(&waves, n * sizeof(Wave));
  partMalloc(&parts, n * sizeof(Part));
  probeMalloc(&probes, n * sizeof(Probe));
  probeMemcpy(probes, &probe, sizeof(Probe), cudaMemcpyHostToDevice);
  RayView rays;
  PageView pages;
  rayMalloc(&rays, n * sizeof(Ray));
  pageMalloc(&pages, n * sizeof(Page));
  turn<<<1, n>>>(spins, waves, parts, probes, rays, pages);
  partFree(parts);
}
