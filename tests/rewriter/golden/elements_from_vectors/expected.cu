// The host fills a managed array from vectors of vectors, whose subscripts change nothing.
// clang-format off
#include <cstdio>
#include <vector>

struct Spring {
  int from, to;
  float length, stiffness;
};
#include "spring_layout.h"

struct Mesh {
  SpringView springs;
  int count;
};

__global__ void soften(SpringView springs, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    springs.stiffness(i) *= 0.5f + springs.length(i);
}

int main() {
  std::vector<std::vector<Spring>> colours(3);
  for (int i = 0; i < 90; ++i)
    colours[i % 3].push_back({i, i + 1, 0.25f * (i % 4), 2.0f});
  Mesh mesh, *m = &mesh;
  m->count = 90;
  springMallocManaged(&m->springs, m->count * sizeof(Spring));
  for (std::size_t c = 0, next = 0; c < colours.size(); ++c)
    for (std::size_t i = 0; i < colours[c].size(); ++i)
      m->springs.store(next++, colours[c][i]);
  soften<<<2, 64>>>(m->springs, m->count);
  cudaDeviceSynchronize();
  float sum = 0;
  for (int i = 0; i < m->count; ++i)
    sum += m->springs.stiffness(i);
  std::printf("%g\n", sum);
  springFree(m->springs);
}
