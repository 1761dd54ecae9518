// R soa
#include <algorithm>
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  std::vector<R *> parts(2);
  for (R *&part : parts)
    cudaMalloc(&part, 64 * sizeof(R));
  std::sort(parts.begin(), parts.end()); // refused: RL-R05
  k<<<1, 1>>>(parts[1]);
}
