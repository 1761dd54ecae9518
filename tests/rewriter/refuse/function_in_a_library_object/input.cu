// R soa
#include <functional>

struct R {
  float x, y;
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

void launch(R *p) { k<<<1, 64>>>(p); }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  std::function<void(R *)> run = launch;
  run(p); // refused: RL-R05
}
