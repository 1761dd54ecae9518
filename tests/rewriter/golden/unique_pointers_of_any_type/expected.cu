// A deleter for arrays of any type, behind an alias, and a deleter for those of one.
// clang-format off
#include <cstdio>
#include <memory>
#include <vector>

namespace device {
template <class T> struct Deleter {
  void operator()(T *memory) const noexcept { cudaFree(memory); }
};

template <typename T> using array = std::unique_ptr<T[], Deleter<T>>;

template <typename T> array<T> make(std::size_t count) {
  T *memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess) return nullptr;
  return array<T>(memory);
}

template <typename T> void upload(const array<T> &to, const std::vector<T> &from) {
  cudaMemcpy(to.get(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
}
}

struct Body { float x, y, mass; };
#include "body_layout.h"

template <> struct device::Deleter<Body> {
  using pointer = BodyView;
  void operator()(BodyView memory) const noexcept { bodyFree(memory); }
};

namespace device {
template <> array<Body> make<Body>(std::size_t count) {
  BodyView memory = nullptr;
  if (bodyMalloc(&memory, count * sizeof(Body)) != cudaSuccess) return nullptr;
  return array<Body>(memory);
}

template <> void upload<Body>(const array<Body> &to, const std::vector<Body> &from) {
  bodyMemcpy(to.get(), from.data(), from.size() * sizeof(Body), cudaMemcpyHostToDevice);
}
}
struct Cell { float heat, flow; int age; };
#include "cell_layout.h"

struct Free { using pointer = CellView; void operator()(CellView p) const { cellFree(p); } };
struct Scene { int n; std::unique_ptr<Cell[], Free> cells; };

__global__ void accelerate(BodyView bodies, const float *weights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies.x(i) += weights[i] / bodies.mass(i);
}

__global__ void warm(CellView cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells.heat(i) = cells.flow(i) + 1;
}

Scene makeScene(int n) {
  CellView memory = nullptr;
  cellMalloc(&memory, n * sizeof(Cell));
  return Scene{n, std::unique_ptr<Cell[], Free>(memory)};
}

int main() {
  const int n = 64;
  std::vector<Body> host(n, Body{1, 2, 4});
  auto bodies = device::make<Body>(n);
  device::array<float> weights = device::make<float>(n);
  device::upload(bodies, host);
  device::upload(weights, std::vector<float>(n, 2));
  accelerate<<<1, n>>>(bodies.get(), weights.get(), n);
  bodyMemcpy(host.data(), bodies.get(), n * sizeof(Body), cudaMemcpyDeviceToHost);
  Scene scene = makeScene(n);
  Cell cells[n];
  for (int i = 0; i < n; ++i) cells[i] = {0, float(i), 0};
  cellMemcpy(scene.cells.get(), cells, sizeof(cells), cudaMemcpyHostToDevice);
  warm<<<1, n>>>(scene.cells.get(), scene.n);
  cellMemcpy(cells, scene.cells.get(), sizeof(cells), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[n - 1].x, cells[n - 1].heat);
}
