// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main(int argc, char **) {
  std::vector<R *> a(2), b(2);
  cudaMalloc(&a[0], 64 * sizeof(R));
  cudaMalloc(&b[0], 64 * sizeof(R));
  auto &c = argc > 1 ? a : b; // refused: RL-R05
  k<<<1, 1>>>(c[0]);
}
