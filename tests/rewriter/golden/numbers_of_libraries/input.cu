// Plain arrays of the small types that libraries have for numbers.
// clang-format off
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

__device__ inline void addTo(__half &sum, const __half &value) { sum = __hadd(sum, value); }

__global__ void step(const __half *in, half *out, const __half2 *pairs, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  __half sum = __float2half(0);
  for (int c = 0; c < columns; ++c) {
    addTo(sum, in[row * columns + c]);
    out[row * columns + c] = __hadd(out[row * columns + c], sum);
    if (__hgt(sum, __float2half(8)))
      sum = *(in + row * columns);
  }
  addTo(out[row * columns], pairs[row].x);
}

__global__ void scale(__nv_bfloat16 *values, int n) {
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
  __half *in, *out;
  __half2 *pairs;
  __nv_bfloat16 *values;
  cudaMalloc(&in, rows * columns * sizeof(__half));
  cudaMalloc(&out, rows * columns * sizeof(__half));
  cudaMalloc(&pairs, rows * sizeof(__half2));
  cudaMalloc(&values, 64 * sizeof(__nv_bfloat16));
  cudaMemcpy(in, host.data(), rows * columns * sizeof(__half), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, rows * columns * sizeof(__half));
  cudaMemcpy(pairs, pair.data(), rows * sizeof(__half2), cudaMemcpyHostToDevice);
  cudaMemcpy(values, brief.data(), 64 * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice);
  for (int s = 0; s < 2; ++s)
    step<<<2, 32>>>(in, out, pairs, rows, columns);
  scale<<<2, 32>>>(values, 64);
  cudaMemcpy(host.data(), out, rows * columns * sizeof(__half), cudaMemcpyDeviceToHost);
  cudaMemcpy(brief.data(), values, 64 * sizeof(__nv_bfloat16), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const __half &value : host)
    sum += __half2float(value);
  for (const __nv_bfloat16 &value : brief)
    sum += __bfloat162float(value);
  std::printf("%g\n", sum);
  cudaFree(in);
  cudaFree(out);
  cudaFree(pairs);
  cudaFree(values);
}
