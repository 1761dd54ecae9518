// Macros whose bodies name elements of arrays.
// clang-format off
#include <cstdio>
#include <vector>

struct Cell {
  float heat;
  int kind;
  double mass;
};

#define AT(cells, x, y, w) ((cells)[(size_t)(y) * (w) + (x)])
#define HEAT(x, y) AT(grid, x, y, w).heat
#define FLOW(a, b) (0.25f * ((a).heat - (b).heat))
#define LOSS(p, k) -(p)[k].heat
#define CELL(p, k) p[k]
#define MOVE(a, b) (a).kind += (b).kind
#define CHECK(call) do { if ((call) != cudaSuccess) std::printf("%s failed\n", #call); } while (0)
#define ALLOCATE(p, type, count) CHECK(cudaMalloc((void **)&(p), sizeof(type) * (count)))
#define INSIDE(x, y) ((x) > 0 && (y) > 0 && (x) + 1 < w && (y) + 1 < h)

__global__ void spread(const Cell *grid, Cell *next, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  AT(next, x, y, w) = AT(grid, x, y, w);
  if (INSIDE(x, y)) {
    float flow = FLOW(AT(grid, x - 1, y, w), AT(grid, x, y, w)) + FLOW(grid[y * w + x + 1], grid[y * w + x]);
    AT(next, x, y, w).heat = HEAT(x, y) + flow + 0.1f * (HEAT(x, y - 1) + HEAT(x, y + 1));
    Cell &own = AT(next, x, y, w);
    own.kind += 1;
    MOVE(CELL(next, y * w + x), CELL(grid, x));
    CELL(next, y * w + x).mass += CELL((grid + 1), x).mass;
    own.mass = -LOSS(grid, y * w + x) + 2.0-LOSS(grid, x);
  }
}

int main() {
  const int w = 40, h = 30, n = w * h;
  std::vector<Cell> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {float(i % 13), i % 3, 1.0};
  Cell *grid, *next;
  ALLOCATE(grid, Cell, n);
  cudaMalloc(&next, n * sizeof(Cell));
  cudaMemcpy(grid, host.data(), n * sizeof(Cell), cudaMemcpyHostToDevice);
  for (int t = 0; t < 4; ++t) {
    spread<<<dim3(2, 8), dim3(32, 4)>>>(grid, next, w, h);
    Cell *swapped = grid;
    grid = next;
    next = swapped;
  }
  cudaMemcpy(host.data(), grid, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  double sum = AT(host.data(), 3, 4, w).heat;
  for (const Cell &cell : host)
    sum += cell.heat * cell.kind;
  std::printf("%g\n", sum);
}
