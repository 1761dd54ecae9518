// Records whose alignment others depend on are aligned in device memory alone: a struct that has one
// inside would grow, bytes that are taken for one may stand anywhere, functions of other programs
// pass it as they know it, and what is computed with it would change.
#include <array>
#include <cuda_runtime.h>

struct Spin {
  float x, y, z, w;
};
struct Site {
  int number;
  Spin spin;
};
struct Wave {
  float re, im, phase, weight;
};
struct Part {
  float a, b, c, d;
};
struct Whole : Part {
  int last;
};
struct Ray {
  float x, y, z, w;
};
struct Beam {
  int number;
  std::array<Ray, 2> rays;
};
struct Page {
  double value;
  int from, to;
};

struct Probe {
  float a, b, c, d;
};
Probe measured(int i); // in a library

__global__ void turn(Spin *spins, Wave *waves, Part *parts, Probe *probes, Ray *rays,
                     Page *pages) {
  const int i = threadIdx.x;
  rays[i].x += rays[i].y;
  pages[i].from += alignof(Page);
  spins[i].x += spins[i].y * waves[i].re;
  parts[i].a += waves[i].im + probes[i].a;
}

float first(const char *file) {
  const Wave *wave = (const Wave *)(file + 4);
  Site site = {};
  Whole whole = {};
  Beam beam = {};
  return beam.rays[1].x + wave->re + site.spin.x + whole.last;
}

void run(int n) {
  Spin *spins;
  Wave *waves;
  Part *parts;
  Probe *probes, probe = measured(n);
  cudaMalloc(&spins, n * sizeof(Spin));
  cudaMalloc(&waves, n * sizeof(Wave));
  cudaMalloc(&parts, n * sizeof(Part));
  cudaMalloc(&probes, n * sizeof(Probe));
  cudaMemcpy(probes, &probe, sizeof(Probe), cudaMemcpyHostToDevice);
  Ray *rays;
  Page *pages;
  cudaMalloc(&rays, n * sizeof(Ray));
  cudaMalloc(&pages, n * sizeof(Page));
  turn<<<1, n>>>(spins, waves, parts, probes, rays, pages);
  cudaFree(parts);
}
