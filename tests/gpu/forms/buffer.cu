// SPDX-License-Identifier: Apache-2.0
// Objects of a class template own the arrays.
#include "stencil.cuh"

template <class T> class Buffer {
public:
  explicit Buffer(size_t count) : count_(count) { cudaMalloc(&memory_, count * sizeof(T)); }
  Buffer(const Buffer &) = delete;
  ~Buffer() { cudaFree(memory_); }
  T *get() const { return memory_; }
  void upload(const T *from) {
    cudaMemcpy(memory_, from, count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  void download(T *to) const {
    cudaMemcpy(to, memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
  }

private:
  T *memory_ = nullptr;
  size_t count_;
};

int main(int argc, char **argv) {
  if (argc < 4)
    return 1;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);
  std::vector<double> values = start(size_t(nx) * ny * nz);
  Buffer<double> first(nx * ny * nz), second(nx * ny * nz);
  first.upload(values.data());
  second.upload(values.data());
  double *u = first.get(), *v = second.get();
  for (int i = 0; i < kSteps; ++i) {
    step<<<blocks(nx, ny), threads()>>>(u, v, nx, ny, nz);
    std::swap(u, v);
  }
  (kSteps % 2 == 0 ? first : second).download(values.data());
  print(values);
}
