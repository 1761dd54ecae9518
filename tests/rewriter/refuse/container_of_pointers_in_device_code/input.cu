// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

__global__ void both(std::array<R *, 2> parts) { parts[0][0].x = parts[1][0].y; } // refused: RL-R05

int main() {
  std::array<R *, 2> parts;
  cudaMalloc(&parts[0], 64 * sizeof(R));
  cudaMalloc(&parts[1], 64 * sizeof(R));
  both<<<1, 1>>>(parts);
}
