// R soa
#include <thrust/device_vector.h>
#include <thrust/sort.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

struct ByX {
  template <class T> __host__ __device__ bool operator()(T &a, T &b) const { return a.x < b.x; }
};

int main() {
  thrust::device_vector<R> d(64);
  k<<<1, 64>>>(thrust::raw_pointer_cast(d.data()));
  thrust::sort(d.begin(), d.end(), ByX()); // refused: RL-R05
}
