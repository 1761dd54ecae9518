#pragma once
template <typename T> struct Array2D {
  T *data;
  int ny;
  __host__ __device__ T &operator()(int i, int j) { return data[i * ny + j]; }
  __host__ __device__ const T &operator()(int i, int j) const { return data[i * ny + j]; }
};
