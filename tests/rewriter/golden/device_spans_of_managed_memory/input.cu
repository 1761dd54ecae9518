// Spans over memory that host and kernels share, whose types are deduced; a list of parts.
// clang-format off
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

struct Cell { float heat; int age; };

__global__ void relax(std::span<Cell> cells, std::span<const Cell> old) {
  std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i + 1 >= cells.size()) return;
  cells[i].heat = 0.25f * (old[i - 1].heat + 2 * old[i].heat + old[i + 1].heat);
  cells[i].age++;
}

static double sum(const std::span<Cell> &cells) {
  double all = 0;
  for (auto &cell : cells) all += cell.heat + cell.age;
  return all;
}

int main() {
  const std::size_t n = 1024;
  Cell *a, *b;
  cudaMallocManaged(&a, n * sizeof *a);
  cudaMallocManaged(&b, n * sizeof *b);
  std::span cells{a, n};
  auto old = std::span{b, n};
  for (Cell &cell : cells) cell = Cell{1.f, 0};
  int k = 0;
  for (auto &cell : old) { cell.heat = k++ % 100; cell.age = 0; }
  std::vector<std::span<Cell>> parts;
  for (std::size_t i = 0; i < 4; ++i) parts.push_back(old.subspan(i * n / 4, n / 4));
  for (int step = 0; step < 4; ++step) {
    relax<<<n / 256, 256>>>(cells, old);
    cudaDeviceSynchronize();
    std::swap(cells, old);
  }
  relax<<<n / 256, 256>>>({a, n}, std::span<const Cell>(b, b + n));
  cudaDeviceSynchronize();
  for (std::span<Cell> part : parts) printf("%g\n", sum(part));
  printf("%g %g\n", sum(cells), sum(old));
  cudaFree(a);
  cudaFree(b);
}
