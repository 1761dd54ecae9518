// R soa
#include <cstring>
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  std::array<R *, 2> parts, copies;
  cudaMalloc(&parts[0], 64 * sizeof(R));
  std::memcpy(copies.data(), parts.data(), 2 * sizeof(R *)); // refused: RL-R06
  k<<<1, 1>>>(copies[0]);
}
