// Functions whose text cannot serve both instances of a record: they allocate and copy both, and
// change elements by way of an accessor.
// clang-format off
#include <cstdio>
#include <vector>

template <class T> struct Complex {
  T re, im;
  __host__ __device__ Complex &operator*=(T s) { re *= s; im *= s; return *this; }
  __host__ __device__ T norm2() const { return re * re + im * im; }
};

template <class T> struct Matrix {
  Complex<T> *elements;
  int rows, columns;
  __host__ __device__ Complex<T> &operator()(int r, int c) { return elements[r * columns + c]; }
};

template <class T> __global__ void norms(Matrix<T> m, T *out) {
  T sum = 0;
  for (int c = 0; c < m.columns; ++c)
    sum += m(threadIdx.x, c).norm2();
  out[threadIdx.x] = sum;
}

template <class T> __global__ void scale(Matrix<T> m, const T *by) {
  m(threadIdx.x, blockIdx.x) *= T(1) / (by[threadIdx.x] + T(1));
}

template <class T> Matrix<T> matrix(int rows, int columns) {
  Matrix<T> m;
  m.rows = rows;
  m.columns = columns;
  cudaMalloc((void **)&m.elements, sizeof(Complex<T>) * rows * columns);
  return m;
}

template <class T> void run(int rows, int columns) {
  std::vector<Complex<T>> host(rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    host[i] = {T(i % 7), T(i % 3)};
  Matrix<T> m = matrix<T>(rows, columns);
  T *sums;
  cudaMalloc(&sums, rows * sizeof(T));
  cudaMemcpy(m.elements, host.data(), sizeof(Complex<T>) * host.size(), cudaMemcpyHostToDevice);
  norms<<<1, rows>>>(m, sums);
  scale<<<columns, rows>>>(m, sums);
  cudaMemcpy(host.data(), m.elements, sizeof(Complex<T>) * host.size(), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", double(host[5].re), double(host[9].im));
  cudaFree(m.elements);
  cudaFree(sums);
}

int main() {
  run<float>(32, 8);
  run<double>(16, 4);
}
