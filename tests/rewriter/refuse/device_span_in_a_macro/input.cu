// R soa
#include <span>

#define SPAN(T) std::span<T>

struct R {
  float x, y;
};

__global__ void k(SPAN(R) r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  R *d;
  cudaMalloc(&d, 64 * sizeof(R));
  k<<<1, 64>>>({d, 64}); // refused: RL-R05
}
