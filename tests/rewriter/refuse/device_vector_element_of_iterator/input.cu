// R soa
#include <thrust/device_vector.h>
#include <thrust/extrema.h>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

struct ByX {
  __host__ __device__ bool operator()(const R &a, const R &b) const { return a.x < b.x; }
};

int main() {
  thrust::device_vector<R> d(64);
  k<<<1, 64>>>(thrust::raw_pointer_cast(d.data()));
  R most = *thrust::max_element(d.begin(), d.end(), ByX()); // refused: RL-R05
  return most.x > 0;
}
