// R soa
#include <thrust/device_vector.h>
#include <thrust/copy.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  thrust::device_vector<R> d(64);
  R some[8];
  k<<<1, 64>>>(d.data().get());
  thrust::copy(d.begin(), d.begin() + 8, some); // refused: RL-R05
}
