// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  R *a;
  cudaMalloc(&a, 64 * sizeof(R));
  std::vector<R *> parts;
  parts.insert(parts.begin(), a); // refused: RL-R05
  k<<<1, 1>>>(parts[0]);
}
