// A struct with pointers to structs with pointers: the inner one's objects are told apart once the outer
// one is two. Its elements are filled in on the device field by field.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != cudaSuccess)                                                                     \
      exit(1);                                                                                     \
  } while (0)

struct Row {
  int length;
  float scale;
  int *columns;
};
struct RowDevice {
  int length;
  float scale;
  int *columns;
};
#include "row_device_layout.h"

struct Matrix {
  int rowCount;
  Row *rows;
};
struct MatrixDevice {
  int rowCount;
  RowDeviceView rows;
};

__constant__ MatrixDevice resident;

__global__ void sumRows(float *sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= resident.rowCount)
    return;
  ConstRowDeviceView row = resident.rows + i;
  float sum = 0;
  for (int k = 0; k < row.length(); ++k)
    sum += row.columns()[k];
  sums[i] = sum * row.scale();
}

__global__ void endRows(float scale) { resident.rows.scale(threadIdx.x) = scale; }

RowDeviceView upload(const Matrix &matrix) {
  RowDeviceView rows;
  CHECK(rowDeviceMalloc(&rows, sizeof(RowDevice) * matrix.rowCount));
  CHECK(cudaMemset(&rows.scale(0), 0, sizeof(float)));
  for (int i = 0; i < matrix.rowCount; ++i) {
    const size_t bytes = sizeof(int) * matrix.rows[i].length;
    int *columns;
    CHECK(cudaMalloc(&columns, bytes));
    CHECK(cudaMemcpy(columns, matrix.rows[i].columns, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(&rows.length(i), &matrix.rows[i].length, sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(&(rows + i).columns(), &columns, sizeof(int *), cudaMemcpyHostToDevice));
    if (i > 0)
      CHECK(cudaMemcpyAsync(&rows.scale(i), &matrix.rows[i].scale, sizeof(rows.scale()),
                            cudaMemcpyHostToDevice));
  }
  MatrixDevice copy = {matrix.rowCount, rows};
  CHECK(cudaMemcpyToSymbol(resident, &copy, sizeof(MatrixDevice)));
  return rows;
}

int main() {
  const int n = 32;
  Matrix matrix;
  matrix.rowCount = n;
  matrix.rows = new Row[n];
  for (int i = 0; i < n; ++i) {
    matrix.rows[i] = {1 + i % 5, 0.5f * i, new int[1 + i % 5]};
    for (int k = 0; k < matrix.rows[i].length; ++k)
      matrix.rows[i].columns[k] = i + k;
  }
  RowDeviceView rows = upload(matrix);
  float sums[n], *device;
  CHECK(cudaMalloc(&device, sizeof sums));
  sumRows<<<1, n>>>(device);
  CHECK(cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost));
  endRows<<<1, n>>>(2);
  float scale;
  CHECK(cudaMemcpy(&scale, &rows.scale(3), sizeof scale, cudaMemcpyDeviceToHost));
  printf("%g %g %g\n", sums[1], sums[n - 1], scale);
}
