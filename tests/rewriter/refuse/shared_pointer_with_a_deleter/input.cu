// R soa
#include <memory>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  R *memory = nullptr;
  cudaMalloc(&memory, 64 * sizeof(R));
  std::shared_ptr<R> records(memory, cudaFree);
  k<<<1, 1>>>(records.get()); // refused: RL-R05
}
