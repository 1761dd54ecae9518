// CUB's algorithms on pointers to records.
// clang-format off
#include <cub/cub.cuh>

#include <cstdio>
#include <vector>

struct Row {
  int key;
  float a, b;
  double sum;
};
#include "row_layout.h"

__host__ __device__ bool operator==(const Row &x, const Row &y) { return x.key == y.key; }

struct Before {
  __host__ __device__ bool operator()(const Row &x, const Row &y) const { return x.key < y.key || (x.key == y.key && x.a < y.a); }
};
struct Less {
  __host__ __device__ bool operator()(int x, int y) const { return x < y; }
};
struct Add {
  __host__ __device__ Row operator()(const Row &x, const Row &y) const {
    Row r = y;
    r.a += x.a;
    r.sum += x.sum;
    return r;
  }
};
struct Even {
  __host__ __device__ bool operator()(const Row &x) const { return x.key % 2 == 0; }
};
struct Weight {
  __host__ __device__ double operator()(const Row &x) const { return x.sum + x.a; }
};
struct Plus {
  __host__ __device__ double operator()(double x, double y) const { return x + y; }
};
struct Grow {
  __host__ __device__ void operator()(RowView x) const { x.b() += x.a(); }
};

__global__ void fill(RowView rows, int *order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    rows.key(i) = i * 7919 % 61;
    rows.a(i) = i % 13;
    rows.b(i) = 1;
    rows.sum(i) = i * 0.5;
    order[i] = i * 31 % 101;
  }
}

// Asks for the bytes, and works.
template <class Algorithm> void run(Algorithm algorithm) {
  void *memory = nullptr;
  size_t bytes = 0;
  algorithm(memory, bytes);
  cudaMalloc(&memory, bytes);
  algorithm(memory, bytes);
  cudaFree(memory);
}

int main() {
  const int n = 1000;
  RowView rows, sums, last;
  int *order, *selected, *lengths;
  double *weight;
  rowMalloc(&rows, n * sizeof(Row));
  rowMalloc(&sums, n * sizeof(Row));
  rowMalloc(&last, 2 * sizeof(Row));
  cudaMalloc(&order, n * sizeof(int));
  cudaMalloc(&selected, sizeof(int));
  cudaMalloc(&lengths, n * sizeof(int));
  cudaMalloc(&weight, sizeof(double));
  fill<<<(n + 127) / 128, 128>>>(rows, order, n);
  run([&](void *memory, size_t &bytes) { cub::DeviceMergeSort::SortKeys(memory, bytes, rows, n, Before()); });
  run([&](void *memory, size_t &bytes) { cub::DeviceMergeSort::StableSortPairs(memory, bytes, order, rows, n, Less()); });
  run([&](void *memory, size_t &bytes) { cub::DeviceScan::InclusiveScan(memory, bytes, rows, sums, Add(), n); });
  run([&](void *memory, size_t &bytes) { cub::DeviceReduce::Reduce(memory, bytes, rows + 1, last + 1, n - 1, Add(), Row()); });
  run([&](void *memory, size_t &bytes) { cub::DeviceReduce::TransformReduce(memory, bytes, rows, weight, n, Plus(), Weight(), 0.0); });
  run([&](void *memory, size_t &bytes) { cub::DeviceSelect::If(memory, bytes, sums, rows, selected, n, Even()); });
  int count;
  cudaMemcpy(&count, selected, sizeof(int), cudaMemcpyDeviceToHost);
  run([&](void *memory, size_t &bytes) { cub::DevicePartition::If(memory, bytes, sums, rows, selected, n, Even()); });
  run([&](void *memory, size_t &bytes) { cub::DeviceSelect::Unique(memory, bytes, rows, sums, selected, n); });
  run([&](void *memory, size_t &bytes) { cub::DeviceSelect::UniqueByKey(memory, bytes, sums, order, rows, lengths, selected, count); });
  run([&](void *memory, size_t &bytes) { cub::DeviceRunLengthEncode::Encode(memory, bytes, rows, sums, lengths, selected, n); });
  cub::DeviceFor::ForEach(rows, rows + n, Grow());
  cub::DeviceFor::ForEachN(rows, n / 2, Grow());

  double total;
  std::vector<Row> all(n);
  Row end[2];
  cudaMemcpy(&total, weight, sizeof(double), cudaMemcpyDeviceToHost);
  rowMemcpy(all.data(), rows, n * sizeof(Row), cudaMemcpyDeviceToHost);
  rowMemcpy(end + 1, last + 1, sizeof(Row), cudaMemcpyDeviceToHost);
  double check = 0;
  for (int i = 0; i < n; ++i)
    check += all[i].key * (i % 5) + all[i].a + all[i].b + all[i].sum;
  std::printf("%d %g %g %g\n", count, total, check, end[1].sum);
}
