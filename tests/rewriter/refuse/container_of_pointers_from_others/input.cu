// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  R *all[2];
  cudaMalloc(&all[0], 64 * sizeof(R));
  cudaMalloc(&all[1], 64 * sizeof(R));
  std::vector<R *> parts(all, all + 2); // refused: RL-R05 RL-R06
  k<<<1, 1>>>(parts[0]);
}
