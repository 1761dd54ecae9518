#pragma once
#include <cuda_runtime.h>

class Owner {
public:
  int owned = 0;
};

template <class T> class Buffer : public Owner {
public:
  explicit Buffer(int n) {
    cudaMalloc((void **)&data_, n * sizeof(T));
    owned = n;
  }
  ~Buffer() { cudaFree(data_); }
  T *get() { return data_; }
  void copyTo(T *host) const { cudaMemcpy(host, data_, owned * sizeof(T), cudaMemcpyDeviceToHost); }

private:
  Buffer(const Buffer &);
  T *data_;
};
