// Templates over a record and a function, of types that only the calls can name.
// clang-format off
#include <cstdio>

struct Cell {
  float heat, flow;
  int kind;
};

template <typename T, typename F>
__global__ void each(T *all, int n, F apply) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    apply(all[i], i);
}

template <class It, class P> __device__ int countIf(It first, const It last, const P &isOne) {
  int count = 0;
  for (; first != last; ++first)
    if (isOne(*first))
      ++count;
  return count;
}

// Of two numbers and functions each: one copy a number.
template <int EACH, class T, class F> __global__ void some(T *all, F apply) {
  apply(all[EACH * threadIdx.x]);
}

struct Warm {
  float by;
  __device__ void operator()(Cell &cell, int i) const { cell.heat += by * i; }
};

__global__ void ranks(const Cell *cells, int n, int *out) {
  const int i = threadIdx.x;
  const float own = cells[i].heat;
  out[i] = countIf(cells, cells + n, [=](const Cell &other) { return other.heat < own; });
  out[i] += 100 * countIf(cells, cells + n, [](const Cell &other) { return other.kind == 1; });
}

int main() {
  const int n = 32;
  Cell host[n], *cells;
  int counts[n], *out;
  for (int i = 0; i < n; ++i)
    host[i] = {float(i * 7 % n), 0.5f, i % 3};
  cudaMalloc(&cells, n * sizeof(Cell));
  cudaMalloc(&out, sizeof(counts));
  cudaMemcpy(cells, host, n * sizeof(Cell), cudaMemcpyHostToDevice);
  each<<<1, n>>>(cells, n, Warm{0.25f});
  const float by = 2;
  each<<<1, n>>>(cells, n, [=] __device__(Cell &cell, int i) { cell.flow -= by * cell.heat + i; });
  some<1><<<1, n>>>(cells, [=] __device__(Cell &cell) { cell.kind += 1; });
  some<2><<<1, n / 2>>>(cells, [=] __device__(Cell &cell) { cell.kind += 2; });
  some<2><<<1, n / 4>>>(cells, [=] __device__(Cell &cell) { cell.heat += by; });
  ranks<<<1, n>>>(cells, n, out);
  cudaMemcpy(host, cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  cudaMemcpy(counts, out, sizeof(counts), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i += 5)
    std::printf("%g %g %d\n", host[i].heat, host[i].flow, counts[i]);
  cudaFree(cells);
  cudaFree(out);
}
