// Unions and structs without a name: their members stay together.
// clang-format off
#include <cstdio>

struct Vec {
  union {
    struct { float x, y, z; };
    float v[3];
  };
  float mass;
};

struct Cell {
  float value;
  union { float heat; int count; };
  struct { short kind, age; };
  int marks[2];
};

__device__ float norm(const Vec &a) { return a.x * a.x + a.v[1] * a.v[1] + a.z; }

__global__ void step(Vec *at, Cell *cells, const Vec *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Cell *cell = cells + i;
  Vec &own = at[i];
  for (int k = 0; k < 3; ++k)
    at[i].v[k] += from[i].v[k] * 0.5f;
  own.x += norm(from[i]) + from[i].y;
  (*cell).value = own.z + (&at[i])->mass;
  if (cells[i].kind % 2)
    cell->count += 3;
  else
    cell->heat *= 0.5f;
  atomicAdd(&cells[i].count, 0);
  ++cell->age;
  Cell copy = *cell;
  copy.marks[1] = copy.age;
  copy.kind = 7;
  if (i % 3 == 0)
    cells[i] = copy;
  float *y = &at[i].y;
  *y += 1;
}

int main() {
  const int n = 100;
  Vec vecs[n];
  Cell host[n];
  for (int i = 0; i < n; ++i) {
    vecs[i].x = 0.5f * i;
    vecs[i].y = 1;
    vecs[i].z = 2;
    vecs[i].mass = i % 5;
    host[i].value = 0;
    host[i].heat = 3;
    host[i].kind = i % 4;
    host[i].age = 1;
    host[i].marks[0] = host[i].marks[1] = 2;
    if (i % 2)
      host[i].count = i;
  }
  Vec *at, *from;
  Cell *cells;
  cudaMalloc(&at, sizeof(vecs));
  cudaMalloc(&from, sizeof(vecs));
  cudaMalloc(&cells, sizeof(host));
  cudaMemcpy(at, vecs, n * sizeof(Vec), cudaMemcpyHostToDevice);
  cudaMemcpy(from, vecs, n * sizeof(Vec), cudaMemcpyHostToDevice);
  cudaMemcpy(cells, host, n * sizeof(Cell), cudaMemcpyHostToDevice);
  step<<<(n + 31) / 32, 32>>>(at, cells, from, n);
  cudaMemcpy(vecs, at, n * sizeof(Vec), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += vecs[i].v[0] + vecs[i].y + host[i].value + host[i].age + host[i].marks[1];
  std::printf("%g\n", sum);
  cudaFree(at);
  cudaFree(from);
  cudaFree(cells);
}
