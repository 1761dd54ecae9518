// The host fills a managed array from vectors of vectors, whose subscripts change nothing.
// clang-format off
#include <cstdio>
#include <vector>

struct Spring {
  int from, to;
  float length, stiffness;
};

struct Mesh {
  Spring *springs;
  int count;
};

__global__ void soften(Spring *springs, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    springs[i].stiffness *= 0.5f + springs[i].length;
}

int main() {
  std::vector<std::vector<Spring>> colours(3);
  for (int i = 0; i < 90; ++i)
    colours[i % 3].push_back({i, i + 1, 0.25f * (i % 4), 2.0f});
  Mesh mesh, *m = &mesh;
  m->count = 90;
  cudaMallocManaged(&m->springs, m->count * sizeof(Spring));
  for (std::size_t c = 0, next = 0; c < colours.size(); ++c)
    for (std::size_t i = 0; i < colours[c].size(); ++i)
      m->springs[next++] = colours[c][i];
  soften<<<2, 64>>>(m->springs, m->count);
  cudaDeviceSynchronize();
  float sum = 0;
  for (int i = 0; i < m->count; ++i)
    sum += m->springs[i].stiffness;
  std::printf("%g\n", sum);
  cudaFree(m->springs);
}
