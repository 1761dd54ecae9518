// R soa
#include <thrust/device_vector.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

template <class T> void run(thrust::device_vector<T> &d) {
  k<<<1, 64>>>(thrust::raw_pointer_cast(d.data())); // refused: RL-R05
}

int main() {
  thrust::device_vector<R> d(64);
  run<R>(d);
}
