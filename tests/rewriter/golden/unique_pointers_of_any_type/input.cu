// A deleter for arrays of any type, behind an alias, and a deleter for those of one.
// clang-format off
#include <cstdio>
#include <memory>
#include <vector>

namespace device {
struct Deleter {
  void operator()(void *memory) const noexcept { cudaFree(memory); }
};

template <typename T> using array = std::unique_ptr<T[], Deleter>;

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
struct Cell { float heat, flow; int age; };

struct Free { void operator()(void *p) const { cudaFree(p); } };
struct Scene { int n; std::unique_ptr<Cell[], Free> cells; };

__global__ void accelerate(Body *bodies, const float *weights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies[i].x += weights[i] / bodies[i].mass;
}

__global__ void warm(Cell *cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i].heat = cells[i].flow + 1;
}

Scene makeScene(int n) {
  void *memory = nullptr;
  cudaMalloc(&memory, n * sizeof(Cell));
  return Scene{n, std::unique_ptr<Cell[], Free>(static_cast<Cell *>(memory))};
}

int main() {
  const int n = 64;
  std::vector<Body> host(n, Body{1, 2, 4});
  auto bodies = device::make<Body>(n);
  device::array<float> weights = device::make<float>(n);
  device::upload(bodies, host);
  device::upload(weights, std::vector<float>(n, 2));
  accelerate<<<1, n>>>(bodies.get(), weights.get(), n);
  cudaMemcpy(host.data(), bodies.get(), n * sizeof(Body), cudaMemcpyDeviceToHost);
  Scene scene = makeScene(n);
  Cell cells[n];
  for (int i = 0; i < n; ++i) cells[i] = {0, float(i), 0};
  cudaMemcpy(scene.cells.get(), cells, sizeof(cells), cudaMemcpyHostToDevice);
  warm<<<1, n>>>(scene.cells.get(), scene.n);
  cudaMemcpy(cells, scene.cells.get(), sizeof(cells), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[n - 1].x, cells[n - 1].heat);
}
