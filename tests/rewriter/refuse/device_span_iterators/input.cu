// R soa
#include <algorithm>
#include <span>

struct R {
  float x, y;
};

__global__ void k(std::span<R> r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  R *d;
  cudaMallocManaged(&d, 64 * sizeof(R));
  std::span<R> r(d, 64); // refused: RL-R05
  k<<<1, 64>>>(r);
  cudaDeviceSynchronize();
  std::sort(r.begin(),
            r.end(), [](const R &a, const R &b) { return a.x < b.x; });
}
