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
#include "complex_float_layout.h"
#include "complex_double_layout.h"

template <class T> struct Matrix {
  Complex<T> *elements;
  int rows, columns;
  __host__ __device__ Complex<T> &operator()(int r, int c) { return elements[r * columns + c]; }
};

template <> struct Matrix<double> {
  ComplexDoubleView elements;
  int rows, columns;
  __host__ __device__ ComplexDoubleView operator()(int r, int c) { return elements + (r * columns + c); }
};

template <> struct Matrix<float> {
  ComplexFloatView elements;
  int rows, columns;
  __host__ __device__ ComplexFloatView operator()(int r, int c) { return elements + (r * columns + c); }
};

template <class T> __global__ void norms(Matrix<T> m, T *out) {
  T sum = 0;
  for (int c = 0; c < m.columns; ++c)
    sum += m(threadIdx.x, c).load().norm2();
  out[threadIdx.x] = sum;
}

template <class T> __global__ void scale(Matrix<T> m, const T *by) {
  m(threadIdx.x, blockIdx.x) *= T(1) / (by[threadIdx.x] + T(1));
}

template <> __global__ void scale<double>(Matrix<double> m, const double *by) {
  Complex<double> element = m(threadIdx.x, blockIdx.x).load();
  element *= double(1) / (by[threadIdx.x] + double(1));
  m(threadIdx.x, blockIdx.x).store(0, element);
}

template <> __global__ void scale<float>(Matrix<float> m, const float *by) {
  Complex<float> element = m(threadIdx.x, blockIdx.x).load();
  element *= float(1) / (by[threadIdx.x] + float(1));
  m(threadIdx.x, blockIdx.x).store(0, element);
}

template <class T> Matrix<T> matrix(int rows, int columns) {
  Matrix<T> m;
  m.rows = rows;
  m.columns = columns;
  cudaMalloc((void **)&m.elements, sizeof(Complex<T>) * rows * columns);
  return m;
}

template <> Matrix<double> matrix<double>(int rows, int columns) {
  Matrix<double> m;
  m.rows = rows;
  m.columns = columns;
  complexDoubleMalloc(&m.elements, sizeof(Complex<double>) * rows * columns);
  return m;
}

template <> Matrix<float> matrix<float>(int rows, int columns) {
  Matrix<float> m;
  m.rows = rows;
  m.columns = columns;
  complexFloatMalloc(&m.elements, sizeof(Complex<float>) * rows * columns);
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

template <> void run<double>(int rows, int columns) {
  std::vector<Complex<double>> host(rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    host[i] = {double(i % 7), double(i % 3)};
  Matrix<double> m = matrix<double>(rows, columns);
  double *sums;
  cudaMalloc(&sums, rows * sizeof(double));
  complexDoubleMemcpy(m.elements, host.data(), sizeof(Complex<double>) * host.size(), cudaMemcpyHostToDevice);
  norms<<<1, rows>>>(m, sums);
  scale<<<columns, rows>>>(m, sums);
  complexDoubleMemcpy(host.data(), m.elements, sizeof(Complex<double>) * host.size(), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", double(host[5].re), double(host[9].im));
  complexDoubleFree(m.elements);
  cudaFree(sums);
}

template <> void run<float>(int rows, int columns) {
  std::vector<Complex<float>> host(rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    host[i] = {float(i % 7), float(i % 3)};
  Matrix<float> m = matrix<float>(rows, columns);
  float *sums;
  cudaMalloc(&sums, rows * sizeof(float));
  complexFloatMemcpy(m.elements, host.data(), sizeof(Complex<float>) * host.size(), cudaMemcpyHostToDevice);
  norms<<<1, rows>>>(m, sums);
  scale<<<columns, rows>>>(m, sums);
  complexFloatMemcpy(host.data(), m.elements, sizeof(Complex<float>) * host.size(), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", double(host[5].re), double(host[9].im));
  complexFloatFree(m.elements);
  cudaFree(sums);
}

int main() {
  run<float>(32, 8);
  run<double>(16, 4);
}
