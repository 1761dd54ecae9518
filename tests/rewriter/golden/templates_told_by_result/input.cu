// Templates whose result alone says which record they are for.
// clang-format off
#include <cstdio>

struct Wave {
  float height, speed;
  int mark;
};

template <class T> T *alloc(size_t n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  return p;
}

template <typename T> T *toDevice(const T *host, size_t n) {
  T *p = alloc<T>(n);
  cudaMemcpy(p, host, n * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

__global__ void step(Wave *a, const Wave *b, float *sums, int n) {
  int i = threadIdx.x;
  if (i < n) {
    a[i].height += b[i].speed;
    a[i].mark = i;
    sums[i] = a[i].height;
  }
}

int main() {
  const int n = 64;
  Wave host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, i + 1.0f, 0};
  Wave *a = alloc<Wave>(n), *b = toDevice(host, n);
  float *sums = alloc<float>(n), out[n];
  cudaMemcpy(a, b, n * sizeof(Wave), cudaMemcpyDeviceToDevice);
  step<<<1, n>>>(a, b, sums, n);
  cudaMemcpy(out, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, a, n * sizeof(Wave), cudaMemcpyDeviceToHost);
  printf("%g %d\n", out[9], host[9].mark);
}
