// Records that are defined inside classes which point to them.
// clang-format off
#include <cstdio>
#include <vector>

namespace fluid {

enum Kind { kGas, kWater };

struct GridCell {
  enum Side { kLeft, kRight };
  float density, speed[2];
  Side side;
  Kind kind;
  __host__ __device__ GridCell(float d = 1) : density(d), side(kLeft), kind(kGas) { speed[0] = speed[1] = d; }
  __host__ __device__ float flow() const;
  __host__ __device__ GridCell mixed(const GridCell &other) const {
    GridCell result(0.5f * (density + other.density));
    result.kind = kWater;
    return result;
  }
};
} // namespace fluid
#include "grid_cell_layout.h"
namespace fluid {

// A grid and its cells.
struct Grid {
  int nx;

  // One of them.
  using Cell = GridCell;

  GridCellView cells;
  ConstGridCellView before = nullptr;
  Cell at(int i) const;
};

__host__ __device__ float Grid::Cell::flow() const { return density * (speed[0] - speed[1]); }

__global__ void relax(Grid grid, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= grid.nx)
    return;
  GridCellView cell = grid.cells + i;
  cell.density() += dt * cell.speed()[1];
  grid.cells.speed(i)[1] += grid.cells.load(i).flow() + grid.before.density(i);
  const Grid::Cell other(3);
  const Grid::Cell mixed = grid.cells.load(i).mixed(other);
  if (i % 2)
    grid.cells.store(i, mixed);
  grid.cells.side(i) = Grid::Cell::kRight;
}

} // namespace fluid

struct SwarmFlower { // at its place
  double x; short petals; };
#include "swarm_flower_layout.h"

struct SwarmMoth {
  float x, v;
};
#include "swarm_moth_layout.h"

class Swarm {
public:
  explicit Swarm(int n);
  ~Swarm() { swarmMothFree(bees_); }
  void step(float dt);
  double sum();
  using Flower = SwarmFlower;

private:
  int count_;
  SwarmFlowerView flowers_;
  using Moth = SwarmMoth;
  SwarmMothView bees_ = nullptr;
  std::vector<Moth> host_;
  template <class T> static void fill(T *at, const std::vector<T> &from) {
    cudaMemcpy(at, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
};

template <class Insect> __global__ void fly(Insect *all, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    all[i].x += dt * all[i].v;
}

__global__ void fly(SwarmMothView all, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    all.x(i) += dt * all.v(i);
}

__global__ void bloom(SwarmFlowerView flowers, ConstSwarmFlowerView others, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    flowers.petals(i) += others.x(n - 1 - i) > 3;
}

Swarm::Swarm(int n) : count_(n), host_(n) {
  std::vector<Flower> flowers(n);
  for (int i = 0; i < n; ++i) {
    host_[i] = {1.0f * i, 2.0f};
    flowers[i] = {0.1 * i, 4};
  }
  swarmMothMalloc(&bees_, n * sizeof(Moth));
  swarmFlowerMalloc(&flowers_, n * sizeof(Swarm::Flower));
  swarmMothMemcpy(bees_, host_.data(), n * sizeof(Moth), cudaMemcpyHostToDevice);
  swarmFlowerMemcpy(flowers_, flowers.data(), n * sizeof(Flower), cudaMemcpyHostToDevice);
}

void Swarm::step(float dt) {
  fly<<<(count_ + 63) / 64, 64>>>(bees_, count_, dt);
  bloom<<<(count_ + 63) / 64, 64>>>(flowers_ + 1, flowers_ + 1, count_ - 1);
}

double Swarm::sum() {
  std::vector<Flower> flowers(count_);
  swarmMothMemcpy(host_.data(), bees_, count_ * sizeof(Moth), cudaMemcpyDeviceToHost);
  swarmFlowerMemcpy(flowers.data(), flowers_, count_ * sizeof(Flower), cudaMemcpyDeviceToHost);
  double total = 0;
  for (int i = 0; i < count_; ++i)
    total += host_[i].x + flowers[i].petals;
  return total;
}

int main() {
  const int n = 100;
  std::vector<fluid::Grid::Cell> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = fluid::Grid::Cell(0.5f * i);
  fluid::Grid grid{n, nullptr};
  fluid::GridCellView before;
  gridCellMalloc(&grid.cells, n * sizeof(fluid::Grid::Cell));
  gridCellMalloc(&before, n * sizeof(fluid::GridCell));
  gridCellMemcpy(grid.cells, host.data(), n * sizeof(host[0]), cudaMemcpyHostToDevice);
  gridCellMemcpy(before, grid.cells, n * sizeof(fluid::Grid::Cell), cudaMemcpyDeviceToDevice);
  grid.before = before;
  fluid::relax<<<2, 64>>>(grid, 0.5f);
  gridCellMemcpy(host.data(), grid.cells, n * sizeof(fluid::Grid::Cell), cudaMemcpyDeviceToHost);
  Swarm swarm(n);
  swarm.step(0.25f);
  swarm.step(0.5f);
  double sum = swarm.sum();
  for (const fluid::Grid::Cell &cell : host)
    sum += cell.density + cell.speed[1] + cell.side + cell.kind;
  std::printf("%.9g\n", sum);
}
