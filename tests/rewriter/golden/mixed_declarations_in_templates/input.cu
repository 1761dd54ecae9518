// Views beside pointers to the host's memory and values, in an instance of a template that is
// written out.
#include <cstdio>
struct P {
  float x, y;
};
template <class T> __global__ void k(T *a, const T *b, int n) {
  int i = threadIdx.x;
  if (i < n)
    a[i].x += b[i].y;
}
template <class T> void run(int n) {
  T *d_a[2], *h, *d_b, zero = T();
  h = new T[n];
  for (int i = 0; i < n; ++i)
    h[i] = {1.0f * i, 2};
  h[0] = zero;
  cudaMalloc(&d_a[0], n * sizeof(T));
  cudaMalloc(&d_a[1], n * sizeof(T));
  cudaMalloc(&d_b, n * sizeof(T));
  cudaMemcpy(d_a[0], h, n * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, h, n * sizeof(T), cudaMemcpyHostToDevice);
  k<T><<<1, 64>>>(d_a[0], d_b, n);
  cudaMemcpy(d_a[1], d_a[0], n * sizeof(T), cudaMemcpyDeviceToDevice);
  cudaMemcpy(h, d_a[1], n * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%g\n", h[5].x);
}
int main() {
  run<P>(64);
  run<float2>(32);
}
