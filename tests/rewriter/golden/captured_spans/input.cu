// A kernel that calls a lambda, which captures structs that hold arrays.
// clang-format off
#include <cstdio>
#include <vector>

template <class T> struct Span {
  T *data;
  std::size_t size;
  __host__ __device__ T &operator[](std::size_t i) const { return data[i]; }
};

template <class T> class Array {
public:
  explicit Array(const std::vector<T> &values) : size_(values.size()) {
    cudaMalloc(&data_, size_ * sizeof(T));
    cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFree(data_); }
  Span<T> span() { return {data_, size_}; }
  Span<const T> view() const { return {data_, size_}; }
  void download(std::vector<T> &values) const {
    cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
  }

private:
  T *data_ = nullptr;
  std::size_t size_;
};

struct Cell {
  int vehicle, signal;
  float limit;
};

template <class F> __global__ void apply(std::size_t count, F f) {
  std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    f(i);
}

template <class F> void forEach(std::size_t count, F f) {
  apply<<<(count + 63) / 64, 64>>>(count, f);
}

__device__ float limitAt(Span<const Cell> cells, std::size_t i) { return cells[i].limit; }

int main() {
  const std::size_t count = 100;
  std::vector<Cell> host(count);
  for (std::size_t i = 0; i < count; ++i)
    host[i] = {int(i % 7), int(i % 3), 0.5f * (i % 5)};
  Array<Cell> now(host), next(host);
  auto in = now.view();
  auto out = next.span();
  forEach(count, [=] __device__(std::size_t i) {
    Cell cell = in[i];
    cell.vehicle = -1;
    out[i] = cell;
  });
  forEach(count, [=] __device__(std::size_t i) {
    if (limitAt(in, i) > 1)
      out[i].vehicle += in[i].signal;
  });
  next.download(host);
  long sum = 0;
  for (const Cell &cell : host)
    sum += 3 * cell.vehicle + cell.signal;
  std::printf("%ld\n", sum);
}
