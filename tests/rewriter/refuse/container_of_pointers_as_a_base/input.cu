// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

struct Parts : std::vector<R *> {};

int main() {
  R *a;
  cudaMalloc(&a, 64 * sizeof(R));
  Parts parts;
  parts.push_back(a);
  k<<<1, 1>>>(parts[0]); // refused: RL-R05
}
