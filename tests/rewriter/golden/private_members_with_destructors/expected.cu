// Classes with private members that nothing makes without arguments, destructors that do nothing,
// and a copy whose loop goes over two arrays at once.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

class Cell {
  int x, y;
  bool dead;
public:
  __host__ __device__ Cell(int x, int y, bool dead);
  __host__ __device__ ~Cell();
  __host__ __device__ bool isDead() { return dead; }
  __host__ __device__ void setDead(bool state) { dead = state; }
  __host__ __device__ int place() const { return x * 1000 + y; }
};
#include "cell_layout.h"
__host__ __device__ Cell::Cell(int x, int y, bool dead) : x(x), y(y), dead(dead) {}
__host__ __device__ Cell::~Cell() {}

struct Point {
  float mass, coord[3], vel[3];
  __host__ __device__ Point &operator=(const Point &p) {
    mass = p.mass;
    for (int i = 0; i < 3; ++i) {
      coord[i] = p.coord[i];
      vel[i] = p.vel[i];
    }
    return *this;
  }
};
#include "point_layout.h"

__global__ void step(CellView next, CellView now, PointView points, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool alive = !now.load(i).isDead() && !now.load((i + 1) % n).isDead();
  next.store(i, Cell(i, now.load(i).place() % 1000, !alive));
  Point own;
  own = points.load(i);
  for (int k = 0; k < 3; ++k) own.coord[k] += own.vel[k] * own.mass;
  points.store(i, own);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 300;
  CellView now, next;
  cellMallocManaged(&now, n * sizeof(Cell));
  cellMallocManaged(&next, n * sizeof(Cell));
  for (int i = 0; i < n; ++i) now.store(i, Cell(i, i / 2, i % 3 == 0));
  std::vector<Point> host(n);
  for (int i = 0; i < n; ++i) host[i].mass = host[i].coord[0] = host[i].coord[1] = host[i].coord[2] = host[i].vel[0] = host[i].vel[1] = host[i].vel[2] = float(i);
  PointView points;
  pointMalloc(&points, n * sizeof(Point));
  pointMemcpy(points, host.data(), n * sizeof(Point), cudaMemcpyHostToDevice);
  step<<<(n + 127) / 128, 128>>>(next, now, points, n);
  cudaDeviceSynchronize();
  pointMemcpy(host.data(), points, n * sizeof(Point), cudaMemcpyDeviceToHost);
  int alive = 0, places = 0;
  for (int i = 0; i < n; ++i) {
    alive += next.load(i).isDead() ? 0 : 1;
    places += next.load(i).place();
  }
  std::printf("%d %d %g\n", alive, places, host[n - 1].coord[2]);
}
