#include "swarm.cuh"

namespace {

__global__ void moveBirds(Bird *birds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    birds[i].x += birds[i].y * birds[i].kind;
}

template <class T> T *raw(thrust::device_vector<T> &vector) {
  return thrust::raw_pointer_cast(vector.data());
}

} // namespace

void Swarm::fill(const Bird *birds, int n) { birds_.assign(birds, birds + n); }

void Swarm::move(int steps) {
  const int n = static_cast<int>(birds_.size());
  for (int k = 0; k < steps; ++k)
    moveBirds<<<(n + 31) / 32, 32>>>(raw(birds_), n);
}
