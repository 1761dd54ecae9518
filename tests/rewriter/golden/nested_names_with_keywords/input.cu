// Records inside classes, which the program names with `struct`, as in C.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Grid {
  struct Cell {
    float heat, flow;
    int kind;
    float differs(const struct Cell &other) const { return heat - other.heat; }
  };
  struct Cell *cells, first;
  int n;
  float warmest(const struct Cell *all) const {
    const struct Cell *best = all;
    for (int i = 1; i < n; ++i)
      if (best->differs(all[i]) < 0)
        best = all + i;
    return best->heat;
  }
};

__device__ float total(const struct Grid::Cell *cell) { return cell->heat + cell->flow; }

__global__ void step(struct Grid grid, float by) {
  const int i = threadIdx.x;
  struct Grid::Cell own = grid.cells[i], *cell = &grid.cells[i];
  own.heat += by * total(cell);
  const struct Grid::Cell &next = grid.cells[(i + 1) % grid.n];
  cell->kind += next.kind > 2;
  grid.cells[i].heat = own.heat + sizeof(struct Grid::Cell);
}

namespace mesh {
struct Edge {
  int from, to;
};
}  // namespace mesh
using mesh::Edge;

__global__ void turn(struct Edge *edges, const struct mesh::Edge *others) {
  const int i = threadIdx.x;
  const mesh::Edge *const own = &others[i];
  edges[i].from = own->to;
}

int main() {
  struct Edge ends[32] = {{1, 2}, {3, 4}}, *edges;
  cudaMalloc(&edges, sizeof(ends));
  cudaMemcpy(edges, ends, sizeof(ends), cudaMemcpyHostToDevice);
  turn<<<1, 32>>>(edges, edges);
  cudaMemcpy(ends, edges, sizeof(ends), cudaMemcpyDeviceToHost);
  std::printf("%d\n", ends[1].from);
  struct Grid grid;
  grid.n = 32;
  struct Grid::Cell *cells = (struct Grid::Cell *)malloc(grid.n * sizeof(struct Grid::Cell));
  for (int i = 0; i < grid.n; ++i)
    cells[i] = {1.0f * i, 0.5f, i % 5};
  cudaMalloc(&grid.cells, grid.n * sizeof(struct Grid::Cell));
  cudaMemcpy(grid.cells, cells, grid.n * sizeof(struct Grid::Cell), cudaMemcpyHostToDevice);
  step<<<1, 32>>>(grid, 0.25f);
  cudaMemcpy(cells, grid.cells, grid.n * sizeof(struct Grid::Cell), cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", grid.warmest(cells), cells[3].kind);
  free(cells);
}
