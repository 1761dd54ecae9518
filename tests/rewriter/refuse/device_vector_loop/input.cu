// R soa
#include <thrust/device_vector.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  thrust::device_vector<R> d(64);
  k<<<1, 64>>>(d.data().get());
  float sum = 0;
  for (const R r : d) // refused: RL-R05
    sum += r.x;
  return sum > 0;
}
