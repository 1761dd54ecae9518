// A span with a member that is a template: one of records becomes one of const records.
// clang-format off
#include <cstdio>
#include <vector>

template <class T> class Span {
public:
  using element_type = T;
  __host__ __device__ Span() : data_(nullptr), size_(0) {}
  __host__ __device__ Span(T *data, int size) : data_(data), size_(size) {}
  template <class U> __host__ __device__ Span(const Span<U> &other) : data_(other.data()), size_(other.size()) {}
  __host__ __device__ T &operator[](int i) const { return data_[i]; }
  __host__ __device__ T *data() const { return data_; }
  __host__ __device__ int size() const { return size_; }
  __host__ __device__ Span subspan(int from, int size) const { return Span(data_ + from, size); }
private:
  T *data_;
  int size_;
};

struct Cell { float heat, flow; int age; };

__global__ void step(Span<Cell> cells, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cells.size()) cells[i].heat = cells[i].flow * by;
}

__global__ void sum(Span<const Cell> cells, Span<float> out) {
  float all = 0;
  for (int i = 0; i < cells.size(); ++i) all += cells[i].heat;
  out[0] = all;
}

int main() {
  const int n = 100;
  Cell *memory;
  float *out;
  cudaMalloc(&memory, n * sizeof(Cell));
  cudaMalloc(&out, sizeof(float));
  std::vector<Cell> host(n, Cell{0, 2, 0});
  cudaMemcpy(memory, host.data(), n * sizeof(Cell), cudaMemcpyHostToDevice);
  Span<Cell> cells(memory, n);
  step<<<1, 128>>>(cells.subspan(0, n), 0.5f);
  sum<<<1, 1>>>(cells, Span<float>(out, 1));
  float all;
  cudaMemcpy(&all, out, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", all);
}
