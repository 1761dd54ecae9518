// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

template <class T> void allocate(std::vector<T *> &parts) {
  cudaMalloc(&parts[0], 64 * sizeof(T));
}

template <class C> void release(C &parts) { // refused: RL-R10
  for (auto part : parts)
    cudaFree(part);
}

int main() {
  std::vector<R *> parts(2);
  allocate(parts);
  k<<<1, 1>>>(parts[0]);
  release(parts);
}
