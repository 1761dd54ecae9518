// R soa
#include <thrust/device_vector.h>
#include <list>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  std::list<R> list(64);
  thrust::device_vector<R> d(list.begin(), list.end()); // refused: RL-R05
  k<<<1, 64>>>(d.data().get());
}
