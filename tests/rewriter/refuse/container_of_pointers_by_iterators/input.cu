// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  std::vector<R *> parts(2);
  cudaMalloc(&parts[0], 64 * sizeof(R));
  k<<<1, 1>>>(parts[0]);
  for (auto it = parts.begin(); it != parts.end(); ++it) // refused: RL-R05
    cudaFree(*it);
}
