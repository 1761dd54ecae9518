// Templates over records, which some units read in front of the records and others behind them.
#pragma once
#include <vector>

namespace gpu {
namespace memory {
template <class T> T *allocate(size_t n) {
  T *p = nullptr;
  cudaMalloc(&p, n * sizeof(T));
  return p;
}
template <class T> void upload(T *to, const std::vector<T> &from) {
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
}
template <class T> void download(std::vector<T> &to, const T *from) {
  cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost);
}
template <class T> void release(T *&p) {
  cudaFree(p);
  p = nullptr;
}
} // namespace memory

template <class T> T *make(const std::vector<T> &from) {
  T *p = memory::allocate<T>(from.size());
  memory::upload(p, from);
  return p;
}

template <class T> __global__ void scale(T *p, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].x *= factor;
}
} // namespace gpu
