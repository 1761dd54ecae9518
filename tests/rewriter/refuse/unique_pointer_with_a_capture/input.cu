// R soa
#include <memory>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  R *memory = nullptr;
  int freed = 0;
  cudaMalloc(&memory, 64 * sizeof(R));
  auto free = [&freed](void *p) {
    ++freed;
    cudaFree(p);
  };
  std::unique_ptr<R, decltype(free)> records(memory, free);
  k<<<1, 1>>>(records.get()); // refused: RL-R05
}
