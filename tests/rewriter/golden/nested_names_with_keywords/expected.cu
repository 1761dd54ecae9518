// Records inside classes, which the program names with `struct`, as in C.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct GridCell {
  float heat, flow;
  int kind;
  float differs(const struct GridCell &other) const { return heat - other.heat; }
};
#include "grid_cell_layout.h"

struct Grid {
  using Cell = GridCell;
  GridCellView cells;
  Cell first;
  int n;
  float warmest(const Cell *all) const {
    const Cell *best = all;
    for (int i = 1; i < n; ++i)
      if (best->differs(all[i]) < 0)
        best = all + i;
    return best->heat;
  }
};

__device__ float total(ConstGridCellView cell) { return cell.heat() + cell.flow(); }

__global__ void step(struct Grid grid, float by) {
  const int i = threadIdx.x;
  Grid::Cell own = grid.cells.load(i);
  GridCellView cell = grid.cells + i;
  own.heat += by * total(cell);
  ConstGridCellView next = grid.cells + ((i + 1) % grid.n);
  cell.kind() += next.kind() > 2;
  grid.cells.heat(i) = own.heat + sizeof(Grid::Cell);
}

namespace mesh {
struct Edge {
  int from, to;
};
}  // namespace mesh
#include "edge_layout.h"
using mesh::Edge;

__global__ void turn(mesh::EdgeView edges, mesh::ConstEdgeView others) {
  const int i = threadIdx.x;
  mesh::ConstEdgeView const own = others + i;
  edges.from(i) = own.to();
}

int main() {
  struct Edge ends[32] = {{1, 2}, {3, 4}};
  mesh::EdgeView edges;
  edgeMalloc(&edges, sizeof(ends));
  edgeMemcpy(edges, ends, sizeof(ends), cudaMemcpyHostToDevice);
  turn<<<1, 32>>>(edges, edges);
  edgeMemcpy(ends, edges, sizeof(ends), cudaMemcpyDeviceToHost);
  std::printf("%d\n", ends[1].from);
  struct Grid grid;
  grid.n = 32;
  Grid::Cell *cells = (Grid::Cell *)malloc(grid.n * sizeof(Grid::Cell));
  for (int i = 0; i < grid.n; ++i)
    cells[i] = {1.0f * i, 0.5f, i % 5};
  gridCellMalloc(&grid.cells, grid.n * sizeof(Grid::Cell));
  gridCellMemcpy(grid.cells, cells, grid.n * sizeof(Grid::Cell), cudaMemcpyHostToDevice);
  step<<<1, 32>>>(grid, 0.25f);
  gridCellMemcpy(cells, grid.cells, grid.n * sizeof(Grid::Cell), cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", grid.warmest(cells), cells[3].kind);
  free(cells);
}
