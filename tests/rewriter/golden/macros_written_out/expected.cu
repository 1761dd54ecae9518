// Macros whose bodies name elements of arrays.
// clang-format off
#include <cstdio>
#include <vector>

struct Cell {
  float heat;
  int kind;
  double mass;
};
#include "cell_layout.h"

#define AT(cells, x, y, w) ((cells)[(size_t)(y) * (w) + (x)])
#define HEAT(x, y) AT(grid, x, y, w).heat
#define FLOW(a, b) (0.25f * ((a).heat - (b).heat))
#define LOSS(p, k) -(p)[k].heat
#define CELL(p, k) p[k]
#define MOVE(a, b) (a).kind += (b).kind
#define CHECK(call) do { if ((call) != cudaSuccess) std::printf("%s failed\n", #call); } while (0)
#define ALLOCATE(p, type, count) CHECK(cudaMalloc((void **)&(p), sizeof(type) * (count)))
#define INSIDE(x, y) ((x) > 0 && (y) > 0 && (x) + 1 < w && (y) + 1 < h)

__global__ void spread(ConstCellView grid, CellView next, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  next.store((size_t)(y) * w + x, grid.load((size_t)(y) * w + x));
  if (INSIDE(x, y)) {
    float flow = (0.25f * (grid.heat((size_t)(y) * w + (x - 1)) - grid.heat((size_t)(y) * w + x))) + (0.25f * (grid.heat(y * w + x + 1) - grid.heat(y * w + x)));
    next.heat((size_t)(y) * w + x) = grid.heat((size_t)(y) * w + x) + flow + 0.1f * (grid.heat((size_t)(y - 1) * w + x) + grid.heat((size_t)(y + 1) * w + x));
    CellView own = next + ((size_t)(y) * w + x);
    own.kind() += 1;
    next.kind(y * w + x) += grid.kind(x);
    next.mass(y * w + x) += (grid + 1).mass(x);
    own.mass() = - -grid.heat(y * w + x) + 2.0- -grid.heat(x);
  }
}

int main() {
  const int w = 40, h = 30, n = w * h;
  std::vector<Cell> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {float(i % 13), i % 3, 1.0};
  CellView grid, next;
  CHECK(cellMalloc(&grid, sizeof(Cell) * n));
  cellMalloc(&next, n * sizeof(Cell));
  cellMemcpy(grid, host.data(), n * sizeof(Cell), cudaMemcpyHostToDevice);
  for (int t = 0; t < 4; ++t) {
    spread<<<dim3(2, 8), dim3(32, 4)>>>(grid, next, w, h);
    CellView swapped = grid;
    grid = next;
    next = swapped;
  }
  cellMemcpy(host.data(), grid, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  double sum = ((host.data())[(size_t)(4) * w + 3]).heat;
  for (const Cell &cell : host)
    sum += cell.heat * cell.kind;
  std::printf("%g\n", sum);
}
