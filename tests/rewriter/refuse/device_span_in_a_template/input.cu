// R soa
#include <span>

struct R {
  float x, y;
};

template <class T> __global__ void k(std::span<T> r) {
  r[threadIdx.x].x += r[threadIdx.x].y;
}

int main() {
  R *d;
  cudaMalloc(&d, 64 * sizeof(R));
  std::span<R> r(d, 64); // refused: RL-R05
  k<<<1, 64>>>(r);
}
