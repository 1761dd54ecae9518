// R soa
#include <span>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(std::span<R> r) { r[threadIdx.x].x += r[threadIdx.x].y; }

double sum(std::span<const R> all) {
  double sum = 0;
  for (const R &r : all)
    sum += r.x;
  return sum;
}

int main() {
  std::vector<R> h(64);
  R *d;
  cudaMallocManaged(&d, 64 * sizeof(R));
  std::span<R> r(d, 64); // refused: RL-R05
  k<<<1, 64>>>(r);
  cudaDeviceSynchronize();
  return sum(h) > sum(r);
}
