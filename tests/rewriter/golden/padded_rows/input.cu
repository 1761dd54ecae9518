// Rows that end inside lines: as numbered, and those of the slowest index.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void blend(float *to, const float *from, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x < nx && y < ny)
    to[y * nx + x] = 0.5f * (to[y * nx + x] + from[y * nx + x]);
}

__global__ void sweep(double *rows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 1; k < 12; ++k)
    rows[i * 12 + k] += 0.25 * rows[i * 12 + k - 1];
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 70, ny = 9, n = 45;
  std::vector<float> cells(nx * ny);
  for (int i = 0; i < nx * ny; ++i)
    cells[i] = i;
  float *to, *from;
  cudaMalloc(&to, nx * ny * sizeof(float));
  cudaMalloc(&from, nx * ny * sizeof(float));
  cudaMemset(to, 0, nx * ny * sizeof(float));
  cudaMemcpy(from, cells.data(), nx * ny * sizeof(float), cudaMemcpyHostToDevice);
  blend<<<dim3((nx + 31) / 32, ny), 32>>>(to, from, nx, ny);
  cudaMemcpy(cells.data(), to, nx * ny * sizeof(float), cudaMemcpyDeviceToHost);

  std::vector<double> values(n * 12, 1.0);
  double *rows;
  cudaMalloc(&rows, n * 12 * sizeof(double));
  cudaMemcpy(rows, values.data(), n * 12 * sizeof(double), cudaMemcpyHostToDevice);
  sweep<<<(n + 31) / 32, 32>>>(rows, n);
  cudaMemcpy(values.data(), rows, n * 12 * sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", cells[nx * ny - 1], values[n * 12 - 1]);
  cudaFree(to);
  cudaFree(from);
  cudaFree(rows);
}
