// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

using Buffers = std::vector<R *>;

int main() {
  Buffers parts(2); // refused: RL-R10
  cudaMalloc(&parts[0], 64 * sizeof(R));
  k<<<1, 1>>>(parts[0]);
}
