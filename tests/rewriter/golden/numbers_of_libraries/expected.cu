// Plain arrays of the small types that libraries have for numbers.
// clang-format off
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

#include "half2_layout.h"
#include "half_layout.h"
#include "nv_bfloat16_layout.h"

__device__ inline void addTo(__half &sum, const __half &value) { sum = __hadd(sum, value); }

__global__ void step(ConstHalfView in, HalfView out, ConstHalf2View pairs, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  __half sum = __float2half(0);
  for (int c = 0; c < columns; ++c) {
    addTo(sum, in.at(row, c));
    out.at(row, c) = __hadd(out.at(row, c), sum);
    if (__hgt(sum, __float2half(8)))
      sum = *(in + row * columns);
  }
  addTo(out.at(row, 0), pairs[row].x);
}

__global__ void scale(NvBfloat16View values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] = __float2bfloat16(__bfloat162float(values[i]) * 2);
}

int main() {
  const int rows = 40, columns = 6;
  std::vector<__half> host(rows * columns);
  std::vector<__half2> pair(rows);
  std::vector<__nv_bfloat16> brief(64);
  for (int i = 0; i < rows * columns; ++i)
    host[i] = __float2half(float(i % 7));
  for (int i = 0; i < rows; ++i)
    pair[i] = __floats2half2_rn(float(i), 1);
  for (int i = 0; i < 64; ++i)
    brief[i] = __float2bfloat16(float(i));
  HalfView in, out;
  Half2View pairs;
  NvBfloat16View values;
  halfMalloc(&in, rows * columns * sizeof(__half));
  halfMalloc(&out, rows * columns * sizeof(__half));
  half2Malloc(&pairs, rows * sizeof(__half2));
  nvBfloat16Malloc(&values, 64 * sizeof(__nv_bfloat16));
  halfMemcpy(in, host.data(), rows * columns * sizeof(__half), cudaMemcpyHostToDevice);
  halfMemset(out, 0, rows * columns * sizeof(__half));
  half2Memcpy(pairs, pair.data(), rows * sizeof(__half2), cudaMemcpyHostToDevice);
  nvBfloat16Memcpy(values, brief.data(), 64 * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice);
  for (int s = 0; s < 2; ++s)
    step<<<2, 32>>>(in, out, pairs, rows, columns);
  scale<<<2, 32>>>(values, 64);
  halfMemcpy(host.data(), out, rows * columns * sizeof(__half), cudaMemcpyDeviceToHost);
  nvBfloat16Memcpy(brief.data(), values, 64 * sizeof(__nv_bfloat16), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const __half &value : host)
    sum += __half2float(value);
  for (const __nv_bfloat16 &value : brief)
    sum += __bfloat162float(value);
  std::printf("%g\n", sum);
  halfFree(in);
  halfFree(out);
  half2Free(pairs);
  nvBfloat16Free(values);
}
