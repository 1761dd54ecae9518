// Accessors that return a reference to a member of the element.
// clang-format off
#include <cstdio>

struct Color {
  float e[3];
  __host__ __device__ float &operator[](int i) { return e[i]; }
  __host__ __device__ const float &operator[](int i) const { return e[i]; }
  __host__ __device__ float &g() { return e[1]; }
};

class Cell {
public:
  __host__ __device__ float &at(int i) { return i == 0 ? x : y; }
  __host__ __device__ float &operator[](int i) {
    if (i == 0)
      return x;
    return y;
  }
  __host__ __device__ int &kind() { return kind_; }
  __host__ __device__ int &mark(int k) { return marks_[k]; }
  __host__ __device__ int sum() const { return kind_ + marks_[0] + marks_[1]; }

  float x, y;

private:
  int kind_;
  int marks_[2];
};

__global__ void step(Color *colors, Cell *cells, const int *order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Cell *cell = cells + i;
  Cell &next = cells[order[i]];
  for (int k = 0; k < 3; ++k)
    colors[i][k] += colors[i][(k + 1) % 3] * cells[i][1];
  colors[i].g() = (*cell)[0] + cell->at(1);
  cells[i].kind()++;
  atomicAdd(&next.mark(1), cell->kind() % 3);
  (*cell).mark(order[i] % 2 ? 0 : 0) = cells[i].kind();
  cell->at(0) = next[1] + (colors[i])[2];
}

int main() {
  const int n = 100;
  Color color[n];
  Cell cell[n];
  int order[n], sums = 0;
  for (int i = 0; i < n; ++i) {
    color[i] = {{0.5f * i, 1, 2}};
    cell[i][0] = 0.25f * i;
    cell[i][1] = i % 3;
    cell[i].kind() = i % 7;
    cell[i].mark(0) = cell[i].mark(1) = 1;
    order[i] = n - 1 - i;
  }
  Color *colors;
  Cell *cells;
  int *orders;
  cudaMalloc(&colors, sizeof(color));
  cudaMalloc(&cells, sizeof(cell));
  cudaMalloc(&orders, sizeof(order));
  cudaMemcpy(colors, color, n * sizeof(Color), cudaMemcpyHostToDevice);
  cudaMemcpy(cells, cell, n * sizeof(Cell), cudaMemcpyHostToDevice);
  cudaMemcpy(orders, order, sizeof(order), cudaMemcpyHostToDevice);
  step<<<(n + 31) / 32, 32>>>(colors, cells, orders, n);
  cudaMemcpy(color, colors, n * sizeof(Color), cudaMemcpyDeviceToHost);
  cudaMemcpy(cell, cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    sums += cell[i].sum();
  std::printf("%g %d\n", color[1][1], sums);
  cudaFree(colors);
  cudaFree(cells);
  cudaFree(orders);
}
