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
  for (R *part : std::vector<R *>{a, b}) // refused: RL-R05
    k<<<1, 1>>>(part);
}
