// R soa
#include <memory>
#include <utility>

struct R {
  float x, y;
};

struct Free {
  void operator()(R *p) const { cudaFree(p); }
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  R *memory = nullptr;
  cudaMalloc(&memory, 64 * sizeof(R));
  std::unique_ptr<R, Free> records(memory);
  k<<<1, 1>>>(records.get());
  std::shared_ptr<R> shared(std::move(records)); // refused: RL-R05
}
