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
#include "vec_layout.h"

struct Cell {
  float value;
  union { float heat; int count; };
  struct { short kind, age; };
  int marks[2];
};
#include "cell_layout.h"

__device__ float norm(const Vec &a) { return a.x * a.x + a.v[1] * a.v[1] + a.z; }

__global__ void step(VecView at, CellView cells, ConstVecView from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  CellView cell = cells + i;
  VecView own = at + i;
  for (int k = 0; k < 3; ++k)
    at.x_y_z_v(i).v[k] += from.x_y_z_v(i).v[k] * 0.5f;
  own.x_y_z_v().x += norm(from.load(i)) + from.x_y_z_v(i).y;
  cell.value() = own.x_y_z_v().z + (at + i).mass();
  if (cells.kind_age(i).kind % 2)
    cell.heat_count().count += 3;
  else
    cell.heat_count().heat *= 0.5f;
  atomicAdd(&cells.heat_count(i).count, 0);
  ++cell.kind_age().age;
  Cell copy = cell.load();
  copy.marks[1] = copy.age;
  copy.kind = 7;
  if (i % 3 == 0)
    cells.store(i, copy);
  float *y = &at.x_y_z_v(i).y;
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
  VecView at, from;
  CellView cells;
  vecMalloc(&at, sizeof(vecs));
  vecMalloc(&from, sizeof(vecs));
  cellMalloc(&cells, sizeof(host));
  vecMemcpy(at, vecs, n * sizeof(Vec), cudaMemcpyHostToDevice);
  vecMemcpy(from, vecs, n * sizeof(Vec), cudaMemcpyHostToDevice);
  cellMemcpy(cells, host, n * sizeof(Cell), cudaMemcpyHostToDevice);
  step<<<(n + 31) / 32, 32>>>(at, cells, from, n);
  vecMemcpy(vecs, at, n * sizeof(Vec), cudaMemcpyDeviceToHost);
  cellMemcpy(host, cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += vecs[i].v[0] + vecs[i].y + host[i].value + host[i].age + host[i].marks[1];
  std::printf("%g\n", sum);
  vecFree(at);
  vecFree(from);
  cellFree(cells);
}
