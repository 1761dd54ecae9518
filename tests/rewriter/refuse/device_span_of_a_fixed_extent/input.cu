// R soa
#include <span>

struct R {
  float x, y;
};

__global__ void k(std::span<R, 64> r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  R *d;
  cudaMalloc(&d, 64 * sizeof(R));
  k<<<1, 64>>>(std::span<R, 64>(d, 64)); // refused: RL-R05
}
