// A kernel that calls a lambda, which captures structs that hold arrays.
// clang-format off
#include <cstdio>
#include <vector>

struct Cell {
  int vehicle, signal;
  float limit;
};

template <class T> struct Span {
  T *data;
  std::size_t size;
  __host__ __device__ T &operator[](std::size_t i) const { return data[i]; }
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
  Cell *now, *next;
  cudaMalloc(&now, count * sizeof(Cell));
  cudaMalloc(&next, count * sizeof(Cell));
  cudaMemcpy(now, host.data(), count * sizeof(Cell), cudaMemcpyHostToDevice);
  Span<const Cell> in{now, count};
  Span<Cell> out{next, count};
  forEach(count, [=] __device__(std::size_t i) {
    Cell cell = in[i];
    cell.vehicle = -1;
    out[i] = cell;
  });
  forEach(count, [=] __device__(std::size_t i) {
    if (limitAt(in, i) > 1)
      out[i].vehicle += in[i].signal;
  });
  cudaMemcpy(host.data(), next, count * sizeof(Cell), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (const Cell &cell : host)
    sum += 3 * cell.vehicle + cell.signal;
  std::printf("%ld\n", sum);
  cudaFree(now);
  cudaFree(next);
}
