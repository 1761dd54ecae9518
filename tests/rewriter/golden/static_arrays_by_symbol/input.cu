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

static __device__ Cell current[kCells];
static __device__ Cell following[kCells < 2000 ? kCells : 2000];

__device__ Cell *buffer(int which) { return which ? following : current; }

__global__ void step(int which) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Cell *from = buffer(which);
  Cell *to = buffer(1 - which);
  const int left = i == 0 ? kCells - 1 : i - 1;
  to[i].pressure = 0.5f * (from[i].pressure + from[left].pressure);
  to[i].velocity[0] = from[left].velocity[0];
  to[i].velocity[1] = from[i].velocity[1] + from[left].pressure;
  to[i].kind = from[i].kind;
}
} // namespace sim

int main() {
  using sim::Cell;
  const size_t half = sim::kCells / 2;
  size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, sim::current));
  std::vector<Cell> host(bytes / sizeof(Cell));
  for (int i = 0; i < sim::kCells; ++i)
    host[i] = {float(i), {1.0f, float(i % 5)}, i};
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpyToSymbol(sim::current, host.data(), half * sizeof(Cell)));
  CHECK(cudaMemcpyToSymbolAsync(sim::current, (const void *)(host.data() + half), half * sizeof(Cell),
                                half * sizeof(Cell), cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int s = 0; s < 5; ++s)
    sim::step<<<sim::kCells / 64, 64>>>(s % 2);
  Cell *address;
  CHECK(cudaGetSymbolAddress((void **)&address, sim::following));
  CHECK(cudaMemset(address + 2, 0, sizeof(Cell)));
  CHECK(cudaMemcpyFromSymbol(host.data(), sim::following, sizeof(sim::following)));
  CHECK(cudaMemcpyFromSymbol(&host[7], sim::current, 2 * sizeof(Cell), 5 * sizeof(Cell)));
  double sum = 0;
  for (const Cell &c : host)
    sum += c.pressure + c.velocity[0] + c.velocity[1] + c.kind;
  std::printf("%.17g %zu\n", sum, sizeof(sim::following));
  CHECK(cudaStreamDestroy(stream));
}
