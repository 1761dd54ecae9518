#include "memory.cuh"

template float *upload<float>(float *values, int n);
template Drop *upload<Drop>(Drop *values, int n);

template <typename T> T *zeroed(int count) {
  T *device;
  cudaMalloc(&device, count * sizeof(T));
  cudaMemset(device, 0, count * sizeof(T));
  return device;
}

template <typename T> T *upload(T *values, int n) {
  T *device = zeroed<T>(n);
  cudaMemcpy(device, values, n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <typename T> void download(T *to, const T *from, int n) {
  cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost);
}

namespace shapes {
template <typename T, int N> __global__ void scale(T *values, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    values[i].speed *= by;
}
template __global__ void scale<Drop, 64>(Drop *, float);
template __global__ void scale<Drop, 256>(Drop *, float);
} // namespace shapes

template float *zeroed<float>(int n);
template Drop *zeroed<Drop>(int n);
template void download(float *, const float *, int);
template void download(Drop *, const Drop *, int);
