// Arrays in device memory that the host fills and reads by their names.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) do { if ((call) != cudaSuccess) { std::printf("failed\n"); std::exit(1); } } while (0)

namespace sim {
constexpr int kCells = 1024;

struct Cell {
  float pressure;
  float velocity[2];
  int kind;
};
} // namespace sim
#include "cell_layout.h"
namespace sim {

static __device__ CellArray<kCells> current;
static __device__ CellArray<(kCells < 2000 ? kCells : 2000)> following;

__device__ CellView buffer(int which) { return which ? CellView(following) : CellView(current); }

__global__ void step(int which) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  ConstCellView from = buffer(which);
  CellView to = buffer(1 - which);
  const int left = i == 0 ? kCells - 1 : i - 1;
  to.pressure(i) = 0.5f * (from.pressure(i) + from.pressure(left));
  to.velocity(i)[0] = from.velocity(left)[0];
  to.velocity(i)[1] = from.velocity(i)[1] + from.pressure(left);
  to.kind(i) = from.kind(i);
}
} // namespace sim

int main() {
  using sim::Cell;
  const size_t half = sim::kCells / 2;
  size_t bytes = 0;
  CHECK(cellGetSymbolSize(&bytes, sim::current));
  std::vector<Cell> host(bytes / sizeof(Cell));
  for (int i = 0; i < sim::kCells; ++i)
    host[i] = {float(i), {1.0f, float(i % 5)}, i};
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cellMemcpyToSymbol(sim::current, host.data(), half * sizeof(Cell)));
  CHECK(cellMemcpyToSymbolAsync(sim::current, (host.data() + half), half * sizeof(Cell),
                                half * sizeof(Cell), cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int s = 0; s < 5; ++s)
    sim::step<<<sim::kCells / 64, 64>>>(s % 2);
  sim::CellView address;
  CHECK(cellGetSymbolAddress(&address, sim::following));
  CHECK(cellMemset(address + 2, 0, sizeof(Cell)));
  CHECK(cellMemcpyFromSymbol(host.data(), sim::following, sizeof(sim::Cell[1024])));
  CHECK(cellMemcpyFromSymbol(&host[7], sim::current, 2 * sizeof(Cell), 5 * sizeof(Cell)));
  double sum = 0;
  for (const Cell &c : host)
    sum += c.pressure + c.velocity[0] + c.velocity[1] + c.kind;
  std::printf("%.17g %zu\n", sum, sizeof(sim::Cell[1024]));
  CHECK(cudaStreamDestroy(stream));
}
