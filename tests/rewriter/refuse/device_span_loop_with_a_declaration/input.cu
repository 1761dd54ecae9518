// R soa
#include <span>

struct R {
  float x, y;
};

__global__ void k(std::span<R> r) {
  for (int i = 0; auto &element : r)
    element.x += i++;
}

int main() {
  R *d;
  cudaMalloc(&d, 64 * sizeof(R));
  std::span<R> r(d, 64); // refused: RL-R05
  k<<<1, 1>>>(r);
}
