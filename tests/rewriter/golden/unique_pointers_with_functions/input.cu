// Deleters that are functions and lambdas.
// clang-format off
#include <cstdio>
#include <memory>
#include <vector>

struct Cell { float heat, flow; int age; };
struct Body { float x, y, mass; };
struct Ray { float from, to; };

class Rays {
public:
  explicit Rays(int n) : rays_(nullptr, [](Ray *rays) { cudaFree(rays); }) {
    Ray *rays = nullptr;
    cudaMalloc(&rays, n * sizeof(Ray));
    rays_.reset(rays);
  }
  Ray *get() const { return rays_.get(); }
private:
  std::unique_ptr<Ray[], void (*)(Ray *)> rays_;
};

__global__ void step(Cell *cells, Body *bodies, Ray *rays, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cells[i].heat = cells[i].flow + i;
  bodies[i].mass = i;
  rays[i].to = 2 * i;
}

// The start.
int main() {
  const int n = 64;
  Cell *memory = nullptr;
  cudaMalloc(&memory, n * sizeof(Cell));
  std::unique_ptr<Cell, decltype(&cudaFree)> cells(memory, &cudaFree);
  const auto free = [](Body *bodies) { cudaFree(bodies); };
  Body *bodies = nullptr;
  cudaMalloc(&bodies, n * sizeof(Body));
  std::unique_ptr<Body[], decltype(free)> owned(bodies, free);
  Rays rays(n);
  std::vector<Cell> host(n, Cell{0, 1, 2});
  cudaMemcpy(cells.get(), host.data(), n * sizeof(Cell), cudaMemcpyHostToDevice);
  step<<<1, n>>>(cells.get(), owned.get(), rays.get(), n);
  cudaMemcpy(host.data(), cells.get(), n * sizeof(Cell), cudaMemcpyDeviceToHost);
  std::vector<Body> some(n);
  cudaMemcpy(some.data(), owned.get(), n * sizeof(Body), cudaMemcpyDeviceToHost);
  Ray last;
  cudaMemcpy(&last, rays.get() + n - 1, sizeof(Ray), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", host[n - 1].heat, some[n - 1].mass, last.to);
}
