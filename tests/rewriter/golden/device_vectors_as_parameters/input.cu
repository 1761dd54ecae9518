// Thrust's vectors that functions are given and return, of a record in a namespace and of a type of
// CUDA's.
// clang-format off
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <vector>

namespace fluid {

struct Cell {
  float heat, flow;
  int kind;
};

__global__ void warm(Cell *cells, float3 *forces, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    cells[i].heat += cells[i].flow + forces[i].y;
    forces[i].x += cells[i].kind;
  }
}

// A comment of the function's.
void run(thrust::device_vector<Cell> &cells, thrust::device_vector<float3> &forces) {
  warm<<<1, 64>>>(thrust::raw_pointer_cast(cells.data()), thrust::raw_pointer_cast(&*forces.begin()),
                  int(cells.size()));
}

thrust::device_vector<Cell> filled(int n, const Cell &cell) {
  thrust::device_vector<Cell> cells(n, cell);
  return cells;
}

} // namespace fluid

using thrust::device_vector;

float sum(const device_vector<fluid::Cell> &cells) {
  std::vector<fluid::Cell> host(cells.begin(), cells.end());
  float total = 0;
  for (const fluid::Cell &cell : host)
    total += cell.heat;
  return total;
}

int main() {
  std::vector<fluid::Cell> host(12);
  for (int i = 0; i < 12; ++i)
    host[i] = {float(i), 0.5f * i, i % 4};
  float3 origin[12] = {};
  device_vector<fluid::Cell> cells(host.begin(), host.end()), few(host.begin() + 2, host.end()), copy(few);
  device_vector<float3> forces(origin, origin + 12);
  fluid::run(cells, forces);
  fluid::run(few, forces);
  std::printf("%g %g\n", sum(cells), sum(few));
  cells = fluid::filled(6, host[3]);
  fluid::run(cells, forces);
  few.assign(host.begin(), host.end());
  thrust::copy(cells.begin(), cells.end(), few.begin());
  thrust::copy(few.begin(), few.end(), &host[0]);
  copy.assign(5, host[4]);
  fluid::run(copy, forces);
  std::printf("%g %g\n", sum(cells), sum(copy) + host[8].heat);
  thrust::host_vector<float3> back = forces;
  const float3 first = forces[0];
  std::printf("%g %g\n", back[1].x, first.x);
}
