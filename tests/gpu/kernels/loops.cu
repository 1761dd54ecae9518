// SPDX-License-Identifier: Apache-2.0
// Kernels whose functions are duplicated in the traced program, with records and with counts only:
// loops that all lanes run alike and loops they do not, in every form, and what must not be there
// twice. What each site counts has to be what the CPU executor counts, whichever version ran.
//   loops [ELEMENTS]
// stdout: a checksum
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

struct Cell {
  int a, b, c, d;
};
struct Range {
  int first, last, step;
};

constexpr int kTile = 64;
__constant__ int turns = 5;

// All lanes alike, in nests, with heads of every kind; of some the trip count is known.
__global__ void alike(const Cell *cells, int *out, int n, Range range) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int sum = 0;
  for (int k = range.first; k < range.last; k += range.step)
    for (int j = 3; j > 0; --j)
      sum += cells[(i + k) % n].a * j;
  const int width = range.last / 2;
  for (unsigned half = width; half; half /= 2) {
    sum += cells[(i + half) % n].b; // a comment at the end
    if (half > 2)
      sum += cells[(i + 2 * half) % n].c;
    for (int j = 0, m = 2; j < m; j++)
      sum -= cells[(i + j) % n].d;
    if (sum & 1)
      continue;
    sum += cells[i].a;
  }
  for (int k = 0; k < turns; ++k)
    sum ^= cells[(i + k) % n].b;
#pragma unroll 2
  for (int k = 0; k < range.last; ++k)
    sum += cells[(i * k) % n].c;
  for (int k = 0; k < int(gridDim.x % 5); ++k) {
    int left = (i + k) % 3;
    while (left-- > 0)
      sum += cells[(i + left) % n].d;
  }
  out[i] = sum;
}

// Trip counts that differ between lanes, long enough to be unrolled.
__global__ void unlike(const Cell *cells, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int sum = 0;
  for (int k = 0; k < i % 13; ++k)
    sum += cells[(i + k) % n].a;
  for (int k = 0; k < i % 11; ++k)
    for (int j = 0; j < 4; ++j)
      sum += cells[(i + k + j) % n].b;
  for (int k = 0; k < 9; ++k) {
    if (k == i % 7)
      break;
    sum += cells[(i + k) % n].c;
  }
  int end = i % 10;
  for (int k = 0; k < end; ++k) {
    sum += cells[(i + k) % n].d;
    if (sum % 5 == 0)
      ++end;
    if (end > 20)
      break;
  }
  int right = i % 6;
  while (right-- > 0)
    sum += cells[(i + right) % n].c;
  sum += 1000 * right; // the condition has its say once too often, and no more
  int left = i % 9;
  do
    sum += cells[(i + left) % n].a;
  while (left-- > 0);
  for (int k = i % 4; k < 17; k += 1 + i % 2)
    sum += cells[(i + k) % n].b;
  out[i] = sum;
}

// Lanes meet again after each branch, though the branches are small.
__global__ void branches(Cell *cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int sum = cells[i].a;
  for (int k = 0; k < 6; ++k) {
    const bool odd = (i + k) & 1;
    if (odd)
      sum += cells[i].b;
    cells[i].c = sum;
    if (odd)
      sum -= cells[i].d;
    else if (i % 3 == 0)
      sum += k < 3 ? cells[i].b : cells[i].d;
    if (i % 5 == k)
      return;
  }
  switch (i % 4) {
  case 0:
    for (int k = 0; k < 3; ++k)
      sum += cells[i].b;
    break;
  case 1:
    sum += cells[i].c;
    [[fallthrough]];
  default:
    for (int k = 0; k < i % 6; ++k)
      sum += cells[i].d;
  }
  cells[i].a = sum;
}

// What follows the shared array can be duplicated, the array cannot.
__global__ void tiled(const Cell *cells, int *out, int n) {
  const int t = threadIdx.x, i = blockIdx.x * kTile + t;
  int sum = i < n ? cells[i].a : 0;
  __shared__ int tile[kTile];
  __shared__ Cell copies[kTile];
  tile[t] = sum;
  copies[t] = cells[i % n];
  __syncthreads();
  for (int base = 0; base < 3 * kTile; base += kTile) {
    __syncthreads();
    tile[t] += cells[(i + base) % n].b;
    __syncthreads();
    for (int k = 0; k < kTile; k += 16)
      sum += tile[(t + k) % kTile] + copies[(t + k) % kTile].c + cells[(base + k) % n].d;
  }
  if (i < n)
    out[i] = sum;
}

// A lambda cannot be duplicated: of what precedes it, the loops can.
__global__ void lambda(const Cell *cells, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int sum = cells[i].d;
  for (int k = 0; k < 5; ++k)
    sum += cells[(i + k) % n].a;
  if (i % 3 != 0)
    for (int k = 0; k < i % 5; ++k)
      sum += cells[(i + k) % n].c;
  else
    sum += cells[i].c;
  const auto more = [&](int k) { return cells[(i + k) % n].b; };
  for (int k = 0; k < i % 8; ++k)
    sum += more(k) - cells[i].a;
  out[i] = sum;
}

__host__ __device__ inline int weigh(const Cell &cell, int times) {
  int sum = 0;
  for (int k = 0; k < times; ++k)
    sum += cell.a;
  return cell.b > 50 ? sum : sum + cell.c;
}
template <int kTimes> __device__ auto weighSome(const Cell *cells, int i) {
  if constexpr (kTimes > 2)
    return weigh(cells[i], kTimes) + cells[i].d;
  else
    return weigh(cells[i], kTimes);
}
struct Scale {
  int factor;
  __device__ int operator()(const Cell &cell) const {
    int sum = cell.a;
    for (int k = 0; k < factor % 4; ++k)
      sum += cell.d;
    return sum * factor;
  }
};

// Functions that count for themselves, called straight, in branches and from loops of both kinds.
__global__ void calls(const Cell *cells, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Scale scale{i % 6};
  int sum = weigh(cells[i], 3) + weighSome<2>(cells, i) + scale(cells[i]);
  for (int k = 0; k < 4; ++k)
    sum += weighSome<5>(cells, (i + k) % n);
  for (int k = 0; k < i % 7; ++k)
    sum += weigh(cells[(i + k) % n], k) - scale(cells[(i * k) % n]);
  if (i & 2)
    sum += weigh(cells[i], i % 5);
  out[i] = sum;
}

#define SUM_OVER(NAME, FIELD, TIMES)                                                               \
  for (int NAME = 0; NAME < (TIMES); ++NAME)                                                       \
    sum += cells[(i + NAME) % n].FIELD;

// Loops out of macros, and text that the preprocessor leaves out or in.
__global__ void expanded(const Cell *cells, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
#if defined(NO_SUCH_NAME)
  sum = cells->nothing;
#else
  if (i < n)
    SUM_OVER(k, a, 4)
#endif
  if (i < n) {
    SUM_OVER(k, b, i % 9)
    out[i] = sum;
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Cell> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {i % 97, i % 89, i % 83, i % 79};
  Cell *cells = nullptr;
  int *out = nullptr;
  CHECK(cudaMalloc(&cells, n * sizeof(Cell)));
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  CHECK(cudaMemcpy(cells, host.data(), n * sizeof(Cell), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, n * sizeof(int)));
  const int blocks = (n + kTile - 1) / kTile;
  std::vector<int> result(n);
  unsigned checksum = 0;
  const auto collect = [&] {
    CHECK(cudaMemcpy(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int value : result)
      checksum = checksum * 31 + static_cast<unsigned>(value);
  };
  alike<<<blocks, kTile>>>(cells, out, n, Range{1, 12, 3});
  collect();
  unlike<<<blocks, kTile>>>(cells, out, n);
  collect();
  tiled<<<blocks, kTile>>>(cells, out, n);
  collect();
  lambda<<<blocks, kTile>>>(cells, out, n);
  collect();
  calls<<<blocks, kTile>>>(cells, out, n);
  collect();
  expanded<<<blocks, kTile>>>(cells, out, n);
  collect();
  branches<<<blocks, kTile>>>(cells, n);
  CHECK(cudaMemcpy(host.data(), cells, n * sizeof(Cell), cudaMemcpyDeviceToHost));
  for (const Cell &cell : host)
    checksum = checksum * 31 + static_cast<unsigned>(cell.a ^ cell.c);
  std::printf("checksum %u\n", checksum);
  CHECK(cudaFree(cells));
  CHECK(cudaFree(out));
  return 0;
}
