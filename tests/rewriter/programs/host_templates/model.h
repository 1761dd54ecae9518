// Owners of arrays that a unit of host C++ includes, and does not copy with.
#pragma once

#include <cuda_runtime.h>

#include <vector>

struct Cell {
  float charge, current;
};
struct Parameters {
  float capacity, resistance, limit;
};

template <typename T> class Buffer {
public:
  ~Buffer() { cudaFree(data_); }
  void upload(const std::vector<T> &values) {
    size_ = values.size();
    cudaMalloc(&data_, size_ * sizeof(T));
    cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> download() const {
    std::vector<T> values(size_);
    cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
  T *get() const { return data_; }

private:
  T *data_ = nullptr;
  size_t size_ = 0;
};

class Model {
public:
  explicit Model(int count);
  void run(int steps);
  std::vector<Cell> cells() const { return cells_.download(); }

private:
  int count_;
  Buffer<Cell> cells_;
  Buffer<Parameters> parameters_;
};
