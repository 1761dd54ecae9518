// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  R *a, *b;
  cudaMalloc(&a, 64 * sizeof(R));
  cudaMalloc(&b, 64 * sizeof(R));
  std::array parts{a, b}; // refused: RL-R10
  k<<<1, 1>>>(parts[0]);
}
