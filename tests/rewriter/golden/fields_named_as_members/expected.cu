// Fields that are called like members of the view, which take other names.
// clang-format off
#include <cstdio>

namespace fill {

class Node {
public:
  __host__ __device__ Node(float load = 1, int members = 2) : load(load), store(0), members(members) {}
  __host__ __device__ int size() const { return members + plane0_; }
  float load, store;
  int members;
  union {
    int fill;
    float copyFrom;
  };

private:
  int plane0_ = 3;
};

} // namespace fill
#include "node_layout.h"

struct Cell {
  double load;
  int allocation;
};
#include "cell_layout.h"

__global__ void spread(fill::NodeView nodes, CellView cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  fill::Node own = nodes.loadElement(i);
  own.load += own.size() + own.members;
  own.store = nodes.load(n - 1 - i);
  own.fill = i;
  nodes.storeElement(n + i, own);
  Cell cell = cells.loadElement(i);
  cell.load += own.load;
  cells.store(i, cell);
  cells.allocation(i)++;
}

int main() {
  const int n = 40;
  static fill::Node nodes[2 * n];
  static Cell cells[n];
  for (int i = 0; i < 2 * n; i++) {
    nodes[i] = fill::Node(i, -i);
    nodes[i].fill = 0;
  }
  for (int i = 0; i < n; i++) {
    cells[i].load = 0.5 * i;
    cells[i].allocation = i;
  }
  fill::NodeView d;
  CellView c, spare;
  nodeMallocManaged(&d, 2 * n * sizeof(fill::Node));
  cellMalloc(&c, n * sizeof(Cell));
  cellMalloc(&spare, n * sizeof(Cell));
  nodeMemcpy(d, nodes, 2 * n * sizeof(fill::Node), cudaMemcpyHostToDevice);
  cellMemcpy(spare, cells, n * sizeof(Cell), cudaMemcpyHostToDevice);
  cellMemset(c, 0, n * sizeof(Cell));
  cellMemcpy(c, spare, n * sizeof(Cell), cudaMemcpyDeviceToDevice);
  spread<<<1, 64>>>(d, c, n);
  nodeMemcpy(nodes, d, 2 * n * sizeof(fill::Node), cudaMemcpyDeviceToHost);
  cellMemcpy(cells, c, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    printf("%g %g %d %g %d\n", nodes[n + i].load, nodes[n + i].store, nodes[n + i].fill, cells[i].load, cells[i].allocation);
  nodeFree(d);
  cellFree(c);
  cellFree(spare);
  return 0;
}
