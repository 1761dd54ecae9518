// R soa
#include <thrust/count.h>
#include <thrust/device_vector.h>

struct R {
  float x, y;
  __host__ __device__ bool operator==(const R &other) const { return x == other.x; }
};

__global__ void k(R *r) { r[threadIdx.x].x += r[threadIdx.x].y; }

int main() {
  thrust::device_vector<R> d(64);
  k<<<1, 64>>>(thrust::raw_pointer_cast(d.data()));
  return thrust::count(d.begin(), d.end(), R{1, 2}); // refused: RL-R05
}
