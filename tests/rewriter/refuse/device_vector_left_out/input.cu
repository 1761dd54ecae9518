// R soa
#include <thrust/device_vector.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  thrust::device_vector<R> d(64); // refused: RL-R05
  k<<<1, 64>>>(d.data().get());
#ifdef SAVES
  save(thrust::host_vector<R>(d), static_cast<const thrust::device_vector<R> &>(d));
#endif
}
