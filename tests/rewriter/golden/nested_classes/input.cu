// Records that are defined inside classes which point to them.
// clang-format off
#include <cstdio>
#include <vector>

namespace fluid {

enum Kind { kGas, kWater };

// A grid and its cells.
struct Grid {
  int nx;

  // One of them.
  struct Cell {
    enum Side { kLeft, kRight };
    float density, speed[2];
    Side side;
    Kind kind;
    __host__ __device__ Cell(float d = 1) : density(d), side(kLeft), kind(kGas) { speed[0] = speed[1] = d; }
    __host__ __device__ float flow() const;
    __host__ __device__ Cell mixed(const Cell &other) const {
      Cell result(0.5f * (density + other.density));
      result.kind = kWater;
      return result;
    }
  };

  Cell *cells;
  const Cell *before = nullptr;
  Cell at(int i) const;
};

__host__ __device__ float Grid::Cell::flow() const { return density * (speed[0] - speed[1]); }

__global__ void relax(Grid grid, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= grid.nx)
    return;
  Grid::Cell &cell = grid.cells[i];
  cell.density += dt * cell.speed[1];
  grid.cells[i].speed[1] += grid.cells[i].flow() + grid.before[i].density;
  const Grid::Cell other(3);
  const Grid::Cell mixed = grid.cells[i].mixed(other);
  if (i % 2)
    grid.cells[i] = mixed;
  grid.cells[i].side = Grid::Cell::kRight;
}

} // namespace fluid

class Swarm {
public:
  explicit Swarm(int n);
  ~Swarm() { cudaFree(bees_); }
  void step(float dt);
  double sum();
  struct Flower { // at its place
    double x; short petals; };

private:
  int count_;
  Flower *flowers_;
  struct Moth {
    float x, v;
  };
  Moth *bees_ = nullptr;
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

__global__ void bloom(Swarm::Flower *flowers, const Swarm::Flower *others, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    flowers[i].petals += others[n - 1 - i].x > 3;
}

Swarm::Swarm(int n) : count_(n), host_(n) {
  std::vector<Flower> flowers(n);
  for (int i = 0; i < n; ++i) {
    host_[i] = {1.0f * i, 2.0f};
    flowers[i] = {0.1 * i, 4};
  }
  cudaMalloc(&bees_, n * sizeof(Moth));
  cudaMalloc((void **)&flowers_, n * sizeof(Swarm::Flower));
  cudaMemcpy(bees_, host_.data(), n * sizeof(Moth), cudaMemcpyHostToDevice);
  cudaMemcpy(flowers_, flowers.data(), n * sizeof(Flower), cudaMemcpyHostToDevice);
}

void Swarm::step(float dt) {
  fly<<<(count_ + 63) / 64, 64>>>(bees_, count_, dt);
  bloom<<<(count_ + 63) / 64, 64>>>(flowers_ + 1, flowers_ + 1, count_ - 1);
}

double Swarm::sum() {
  std::vector<Flower> flowers(count_);
  cudaMemcpy(host_.data(), bees_, count_ * sizeof(Moth), cudaMemcpyDeviceToHost);
  cudaMemcpy(flowers.data(), flowers_, count_ * sizeof(Flower), cudaMemcpyDeviceToHost);
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
  fluid::Grid::Cell *before;
  cudaMalloc(&grid.cells, n * sizeof(fluid::Grid::Cell));
  cudaMalloc(&before, n * sizeof(*before));
  cudaMemcpy(grid.cells, host.data(), n * sizeof(host[0]), cudaMemcpyHostToDevice);
  cudaMemcpy(before, grid.cells, n * sizeof(fluid::Grid::Cell), cudaMemcpyDeviceToDevice);
  grid.before = before;
  fluid::relax<<<2, 64>>>(grid, 0.5f);
  cudaMemcpy(host.data(), grid.cells, n * sizeof(fluid::Grid::Cell), cudaMemcpyDeviceToHost);
  Swarm swarm(n);
  swarm.step(0.25f);
  swarm.step(0.5f);
  double sum = swarm.sum();
  for (const fluid::Grid::Cell &cell : host)
    sum += cell.density + cell.speed[1] + cell.side + cell.kind;
  std::printf("%.9g\n", sum);
}
