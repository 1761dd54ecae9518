// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  std::vector<std::vector<R *>> parts(2, std::vector<R *>(2));
  cudaMalloc(&parts[0][1], 64 * sizeof(R));
  for (auto &row : parts) // refused: RL-R05
    for (R *part : row)
      k<<<1, 1>>>(part);
}
