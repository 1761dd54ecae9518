// Array members that become planes of their own.
#include <cstdio>
#include <vector>

const int kWidth = 5;

struct Row {
  double value[kWidth];
  double diagonal;
  int column[kWidth];
  int unknown;
  float stencil[2][3]; // more than one dimension
};

#define SAME(place) (place)

__host__ __device__ double weight(const Row &row) { return row.value[0] + row.stencil[1][2]; }

__device__ void scale(double &value, double factor) { value *= factor; }

__device__ int next(int *counter) { return ++*counter % kWidth; }

__global__ void multiply(const Row *rows, int count, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  double sum = 0.0;
  for (int k = 0; k < kWidth; ++k)
    sum += rows[i].value[k] * x[rows[i].column[k]];
  const Row *row = rows + i;
  const Row &same = rows[i];
  for (int k = 0; k < kWidth; k++)
    sum += row->value[k] + (*row).value[kWidth - 1 - k] + same.value[k] + (rows[i].value)[k];
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      sum += rows[i].stencil[a][b] - row->stencil[a][(b + 1) % 3];
  sum += weight(rows[i]) + sizeof(rows[i].value) / sizeof rows->column + sizeof(rows->value[0]);
  y[rows[i].unknown] = sum;
}

__global__ void change(Row *rows, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int k = 0, calls = 0;
  rows[i].value[k++] = 1.5;
  rows[i].value[k++] += rows[(i + 1) % count].diagonal;
  rows[threadIdx.x + blockIdx.x * blockDim.x].value[threadIdx.x % kWidth] -= 0.25;
  rows[i].value[next(&calls)] *= 2.0;
  ++rows[i].column[k];
  rows[i].column[1]--;
  scale(rows[i].value[3], 0.5);
  scale(SAME(rows[i].value[4]), 0.75);
  double &last = rows[i].value[kWidth - 1];
  last += 1.0;
  Row copy = rows[i];
  copy.value[2] += copy.stencil[0][1];
  rows[i] = copy;
  Row *me = rows + i;
  me->stencil[1][0] = copy.value[2] > 0 ? 1.0f : 2.0f;
  (*me).stencil[k / k][2] += 3.0f;
}

__global__ void tally(Row *rows, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(&rows[i / 2].column[rows[i].unknown % 2 + 3], 1);
}

int main() {
  const int count = 100;
  std::vector<Row> host(count);
  for (int i = 0; i < count; ++i) {
    Row &row = host[i];
    for (int k = 0; k < kWidth; ++k) {
      row.value[k] = 0.125 * i + k;
      row.column[k] = (i + k) % count;
    }
    row.diagonal = 1.0 / (1 + i);
    row.unknown = count - 1 - i;
    for (int n = 0; n < 6; ++n)
      row.stencil[n / 3][n % 3] = i - n;
  }
  std::vector<double> x(count, 0.5), result(count);
  Row *rows;
  double *deviceX, *y;
  cudaMalloc(&rows, count * sizeof(Row));
  cudaMalloc(&deviceX, count * sizeof(double));
  cudaMalloc(&y, count * sizeof(double));
  cudaMemset(y, 0, count * sizeof(double));
  cudaMemcpy(rows, host.data(), count * sizeof(Row), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceX, x.data(), count * sizeof(double), cudaMemcpyHostToDevice);
  change<<<4, 32>>>(rows, count);
  tally<<<4, 32>>>(rows, count);
  // Columns were changed by the kernel; the table of x is read at the ones it left in range.
  cudaMemcpy(host.data(), rows, count * sizeof(Row), cudaMemcpyDeviceToHost);
  for (Row &row : host)
    for (int &column : row.column)
      column = (column % count + count) % count;
  cudaMemcpy(rows, host.data(), count * sizeof(Row), cudaMemcpyHostToDevice);
  cudaMemset(rows + 95, 0, 5 * sizeof(Row)); // the rows of unknowns 0 to 4
  multiply<<<4, 32>>>(rows, count, deviceX, y);
  cudaMemcpy(result.data(), y, count * sizeof(double), cudaMemcpyDeviceToHost);
  cudaMemcpy(host.data(), rows + 7, 13 * sizeof(Row), cudaMemcpyDeviceToHost);
  double sum = host[3].value[2] + host[12].stencil[1][2];
  for (double value : result)
    sum += value;
  std::printf("%.17g\n", sum);
  cudaFree(rows);
  cudaFree(deviceX);
  cudaFree(y);
}
