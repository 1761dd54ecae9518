// Two structs whose members share functions: only together they are two types each.
// clang-format off
#include <cstdio>

struct Cells { int n; float *v, *m; };
struct Edges { int n; float *w; };

template <class T> T *toDevice(const T *from, int n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

__global__ void step(Cells *cells, Edges *edges) {
  const int i = threadIdx.x;
  if (i < cells->n)
    cells->v[i] += cells->m[i] * edges->w[i];
}

Cells *copyOf(const Cells *host) {
  Cells *copy = new Cells;
  copy->n = host->n;
  copy->v = toDevice(host->v, host->n);
  copy->m = toDevice(host->m, host->n);
  Cells *cells = toDevice(copy, 1);
  delete copy;
  return cells;
}

Edges *copyOf(const Edges *host) {
  Edges *copy = new Edges;
  copy->n = host->n;
  copy->w = toDevice(host->w, host->n);
  Edges *edges = toDevice(copy, 1);
  delete copy;
  return edges;
}

int main() {
  const int n = 64;
  Cells *cells = new Cells{n, new float[n], new float[n]};
  Edges *edges = new Edges{n, new float[n]};
  for (int i = 0; i < n; ++i) {
    cells->v[i] = i;
    cells->m[i] = 0.5f * i;
    edges->w[i] = 2;
  }
  Cells *onDevice = copyOf(cells);
  step<<<1, n>>>(onDevice, copyOf(edges));
  Cells back;
  cudaMemcpy(&back, onDevice, sizeof(Cells), cudaMemcpyDeviceToHost);
  cudaMemcpy(cells->v, back.v, n * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += cells->v[i];
  std::printf("%g\n", sum);
}
