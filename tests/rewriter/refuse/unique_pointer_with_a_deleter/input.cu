// R soa
#include <memory>

struct R {
  float x, y;
};

struct Counts {
  int freed = 0;
};
struct Free : Counts {
  void operator()(void *p) const { cudaFree(p); }
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  R *memory = nullptr;
  cudaMalloc(&memory, 64 * sizeof(R));
  std::unique_ptr<R, Free> records(memory);
  k<<<1, 1>>>(records.get()); // refused: RL-R05
}
