// Deleters that are functions and lambdas.
// clang-format off
#include <cstdio>
#include <memory>
#include <vector>

struct Cell { float heat, flow; int age; };
#include "cell_layout.h"
struct Body { float x, y, mass; };
#include "body_layout.h"
struct Ray { float from, to; };
#include "ray_layout.h"

struct RayDeleter {
  using pointer = RayView;
  void operator()(RayView rays) const { rayFree(rays); }
};

class Rays {
public:
  explicit Rays(int n) : rays_(nullptr) {
    RayView rays = nullptr;
    rayMalloc(&rays, n * sizeof(Ray));
    rays_.reset(rays);
  }
  RayView get() const { return rays_.get(); }
private:
  std::unique_ptr<Ray[], RayDeleter> rays_;
};

__global__ void step(CellView cells, BodyView bodies, RayView rays, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cells.heat(i) = cells.flow(i) + i;
  bodies.mass(i) = i;
  rays.to(i) = 2 * i;
}

struct CellDeleter {
  using pointer = CellView;
  void operator()(CellView pointer) const { cellFree(pointer); }
};

// The start.
int main() {
  const int n = 64;
  CellView memory = nullptr;
  cellMalloc(&memory, n * sizeof(Cell));
  std::unique_ptr<Cell, CellDeleter> cells(memory);
  struct BodyDeleter { using pointer = BodyView; void operator()(BodyView bodies) const { bodyFree(bodies); } } free;
  BodyView bodies = nullptr;
  bodyMalloc(&bodies, n * sizeof(Body));
  std::unique_ptr<Body[], decltype(free)> owned(bodies, free);
  Rays rays(n);
  std::vector<Cell> host(n, Cell{0, 1, 2});
  cellMemcpy(cells.get(), host.data(), n * sizeof(Cell), cudaMemcpyHostToDevice);
  step<<<1, n>>>(cells.get(), owned.get(), rays.get(), n);
  cellMemcpy(host.data(), cells.get(), n * sizeof(Cell), cudaMemcpyDeviceToHost);
  std::vector<Body> some(n);
  bodyMemcpy(some.data(), owned.get(), n * sizeof(Body), cudaMemcpyDeviceToHost);
  Ray last;
  rayMemcpy(&last, rays.get() + n - 1, sizeof(Ray), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", host[n - 1].heat, some[n - 1].mass, last.to);
}
