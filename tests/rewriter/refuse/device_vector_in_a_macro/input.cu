// R soa
#include <thrust/device_vector.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

#define RUN(vector) k<<<1, 64>>>(thrust::raw_pointer_cast((vector).data()))

int main() {
  thrust::device_vector<R> d(64);
  RUN(d); // refused: RL-R05
}
