// R soa
#include <thrust/device_vector.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

#define RAW(vector) thrust::raw_pointer_cast((vector).data())

int main() {
  thrust::device_vector<R> d(64);
  k<<<1, 64>>>(RAW(d)); // refused: RL-R05
}
