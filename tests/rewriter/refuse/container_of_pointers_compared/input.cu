// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

int main() {
  std::vector<R *> parts(2), others;
  cudaMalloc(&parts[0], 64 * sizeof(R));
  others = parts;
  k<<<1, 1>>>(others[0]);
  return parts == others; // refused: RL-R05
}
