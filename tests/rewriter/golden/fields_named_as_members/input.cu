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

struct Cell {
  double load;
  int allocation;
};

__global__ void spread(fill::Node *nodes, Cell *cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  fill::Node own = nodes[i];
  own.load += own.size() + own.members;
  own.store = nodes[n - 1 - i].load;
  own.fill = i;
  nodes[n + i] = own;
  Cell cell = cells[i];
  cell.load += own.load;
  cells[i] = cell;
  cells[i].allocation++;
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
  fill::Node *d;
  Cell *c, *spare;
  cudaMallocManaged(&d, 2 * n * sizeof(fill::Node));
  cudaMalloc(&c, n * sizeof(Cell));
  cudaMalloc(&spare, n * sizeof(Cell));
  cudaMemcpy(d, nodes, 2 * n * sizeof(fill::Node), cudaMemcpyHostToDevice);
  cudaMemcpy(spare, cells, n * sizeof(Cell), cudaMemcpyHostToDevice);
  cudaMemset(c, 0, n * sizeof(Cell));
  cudaMemcpy(c, spare, n * sizeof(Cell), cudaMemcpyDeviceToDevice);
  spread<<<1, 64>>>(d, c, n);
  cudaMemcpy(nodes, d, 2 * n * sizeof(fill::Node), cudaMemcpyDeviceToHost);
  cudaMemcpy(cells, c, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    printf("%g %g %d %g %d\n", nodes[n + i].load, nodes[n + i].store, nodes[n + i].fill, cells[i].load, cells[i].allocation);
  cudaFree(d);
  cudaFree(c);
  cudaFree(spare);
  return 0;
}
