// SPDX-License-Identifier: Apache-2.0
// Kernels on a row-major grid as they are often written first: threadIdx.x numbers rows, so that
// the lanes of a warp access elements that lie a row apart. Prints each kernel's time. Copies all
// results back.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

__global__ void scale(float *out, const float *in, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[row * columns + column] = 2.0f * in[row * columns + column];
}

__global__ void relax(float *out, const float *in, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < 1 || row >= rows - 1 || column < 1 || column >= columns - 1)
    return;
  const float *at = in + row * columns + column;
  out[row * columns + column] = 0.25f * (at[-columns] + at[columns] + at[-1] + at[1]);
}

__global__ void addRowAndColumn(float *out, const float *ofRow, const float *ofColumn, int rows,
                                int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[row * columns + column] += ofRow[row] + ofColumn[column];
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 96, columns = argc > 2 ? std::atoi(argv[2]) : 80;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 2;
  const std::size_t count = std::size_t(rows) * columns, bytes = count * sizeof(float);
  std::vector<float> host(count);
  for (std::size_t i = 0; i < count; ++i)
    host[i] = float(i % 1021);
  float *a, *b;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(b, 0, bytes));

  cudaEvent_t times[4];
  for (cudaEvent_t &time : times)
    CHECK(cudaEventCreate(&time));
  float total[3] = {};
  for (int step = 0; step <= steps; ++step) { // the first warms up
    CHECK(cudaEventRecord(times[0]));
    const dim3 square(16, 16), tall(8, 32), wide(32, 8);
    scale<<<dim3((rows + 15) / 16, (columns + 15) / 16), square>>>(b, a, rows, columns);
    CHECK(cudaEventRecord(times[1]));
    relax<<<dim3((rows + 7) / 8, (columns + 31) / 32), tall>>>(a, b, rows, columns);
    CHECK(cudaEventRecord(times[2]));
    addRowAndColumn<<<dim3((rows + 31) / 32, (columns + 7) / 8), wide>>>(a, b, b + columns, rows,
                                                                         columns);
    CHECK(cudaEventRecord(times[3]));
    CHECK(cudaEventSynchronize(times[3]));
    for (int kernel = 0; kernel < 3 && step > 0; ++kernel) {
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, times[kernel], times[kernel + 1]));
      total[kernel] += ms;
    }
  }
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host.data(), a, bytes, cudaMemcpyDeviceToHost));
  const char *names[] = {"scale", "relax", "addRowAndColumn"};
  for (int kernel = 0; kernel < 3; ++kernel)
    std::printf("%s: %.4f ms\n", names[kernel], total[kernel] / float(steps));
  double sum = 0;
  for (const float value : host)
    sum += value;
  std::printf("sum of results: %.6e\n", sum);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}
