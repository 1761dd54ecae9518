// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  std::vector<R *> parts(2);
  std::vector<R *> *all = &parts; // refused: RL-R05
  cudaMalloc(&parts[0], 64 * sizeof(R));
  k<<<1, 1>>>(parts[0]);
  cudaFree((*all)[0]);
}
