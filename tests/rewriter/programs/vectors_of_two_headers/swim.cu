#include "swim.h"

__global__ void move(Fish *fish, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    fish[i].x += by * fish[i].y;
}

void swim(thrust::device_vector<Fish> &fish, float by) {
  const int n = int(fish.size());
  move<<<(n + 63) / 64, 64>>>(thrust::raw_pointer_cast(fish.data()), n, by);
}
