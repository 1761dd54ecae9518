// R soa
#include <thrust/device_vector.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  thrust::device_vector<R> d(64);
  auto first = d[0]; // refused: RL-R05
  k<<<1, 64>>>(d.data().get());
  const R r = first;
  return r.x > 0;
}
