// Records whose alignment others depend on are aligned in device memory alone: a struct that has one
// inside would grow, and bytes that are taken for one may stand anywhere.
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

__global__ void turn(Spin *spins, Wave *waves, Part *parts) {
  const int i = threadIdx.x;
  spins[i].x += spins[i].y * waves[i].re;
  parts[i].a += waves[i].im;
}

float first(const char *file) {
  const Wave *wave = (const Wave *)(file + 4);
  Site site = {};
  Whole whole = {};
  return wave->re + site.spin.x + whole.last;
}

void run(int n) {
  Spin *spins;
  Wave *waves;
  Part *parts;
  cudaMalloc(&spins, n * sizeof(Spin));
  cudaMalloc(&waves, n * sizeof(Wave));
  cudaMalloc(&parts, n * sizeof(Part));
  turn<<<1, n>>>(spins, waves, parts);
  cudaFree(parts);
}
