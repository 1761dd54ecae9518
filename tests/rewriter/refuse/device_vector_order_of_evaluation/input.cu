// R soa
#include <thrust/device_vector.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

R next(int *i) { return {1.0f * ++*i, 1}; }

int main() {
  thrust::device_vector<R> d(64);
  int i = 0;
  d[i] = next(&i); // refused: RL-R05
  k<<<1, 64>>>(d.data().get());
}
