// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  std::array<R *, 2> parts;
  cudaMalloc(&parts[0], 64 * sizeof(R));
  auto [a, b] = parts; // refused: RL-R10
  k<<<1, 1>>>(a);
}
