// R soa
#include <thrust/device_vector.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  thrust::device_vector<R> d(64);
  thrust::device_ptr<R> first = d.data(); // refused: RL-R05
  k<<<1, 64>>>(first.get());
  k<<<1, 64>>>(d.data().get());
}
