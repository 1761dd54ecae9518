// SPDX-License-Identifier: Apache-2.0
// Pointers to rows: the bodies of kernels stay, and a row of the view is subscripted as an array.
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "double_reordered_layout.h"
#include "double_reordered_rows1_layout.h"
#include "double_reordered_rows2_layout.h"
#include "float_layout.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != cudaSuccess) {                                                                   \
      std::printf("failed: %s\n", #call);                                                          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)
#define FILL(vector, x, y, z)                                                                      \
  {                                                                                                \
    vector[0] = x;                                                                                 \
    vector[1] = y;                                                                                 \
    (vector)[2] = z;                                                                               \
  }

#define B(i, j) b[i][j] // a name in the macro, whose text may stay

const int BODIES = 24, N = 32, NY = 6, NZ = 10;
typedef double vector3[3];
typedef double Plane[NY][NZ];

__global__ void accelerate(DoubleReorderedRows1View accelerations, const vector3 *positions, int bodies) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bodies)
    return;
  for (int j = 0; j < bodies; ++j) {
    const DoubleReorderedRows1View own = accelerations + (i * bodies);
    vector3 distance;
    for (int k = 0; k < 3; k++)
      distance[k] = positions[i][k] - positions[j][k];
    if (i == j)
      FILL(accelerations[i * bodies + j], 0, 0, 0)
    else
      FILL(own[j], distance[0], 2 * distance[1], distance[2] - 1)
  }
}

__global__ void sum(DoubleReorderedRows1View accelerations, vector3 *velocities, DoubleReorderedView speeds, int bodies) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bodies)
    return;
  for (int j = 0; j < bodies; ++j)
    for (int k = 0; k < 3; ++k)
      velocities[i][k] += accelerations.at(i, j, k);
  speeds[i] = velocities[i][0] + velocities[i][1] + velocities[i][2];
}

__global__ void smooth(ConstFloatView a, FloatView b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < N - 1 && j < N - 1)
    B(i, j) = 0.25f * (a.at(i - 1, j) + a.at(i + 1, j) + a.at(i, j - 1) + a.at(i, j + 1));
  if (i == 0 && j < N)
    atomicAdd(&b[j][0], a[0][N * j + j]); // the diagonal, by a subscript that leaves its row
}

__global__ void step(ConstDoubleReorderedRows2View u, DoubleReorderedRows2View v, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= NY - 1)
    return;
  for (int z = 1; z < NZ - 1; ++z)
    v.at(x, y, z) = 0.5 * u.at(x, y, z) + 0.125 * (u.at(x - 1, y, z) + u.at(x + 1, y, z) + u.at(x, y, z - 1));
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 12;
  static vector3 positions[BODIES], velocities[BODIES];
  for (int i = 0; i < BODIES; ++i)
    FILL(positions[i], i, i * 7 % 5, i * i % 11)
  DoubleReorderedRows1View acceleration;
  vector3 *where;
  vector3 *velocity;
  DoubleReorderedView speed;
  double speeds[BODIES];
  CHECK(doubleReorderedRows1Malloc(&acceleration, sizeof(double[3]) * BODIES * BODIES));
  CHECK(cudaMalloc(&where, sizeof(positions)));
  CHECK(cudaMalloc((void **)&velocity, BODIES * sizeof(*velocity)));
  CHECK(doubleReorderedMalloc(&speed, sizeof(speeds)));
  CHECK(cudaMemcpy(where, positions, sizeof(positions), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(velocity, 0, BODIES * sizeof(vector3)));
  accelerate<<<1, 32>>>(acceleration, where, BODIES);
  sum<<<1, 32>>>(acceleration, velocity, speed, BODIES);
  CHECK(doubleReorderedMemcpy(speeds, speed, sizeof(speeds), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(velocities, velocity, sizeof(vector3) * BODIES, cudaMemcpyDeviceToHost));

  static float matrix[N][N];
  for (int i = 0; i < N * N; ++i)
    matrix[i / N][i % N] = i * 31 % 101;
  FloatView a, b;
  CHECK(floatMalloc(&a, sizeof(float) * N * N));
  CHECK(floatMalloc(&b, N * N * sizeof(float)));
  CHECK(floatMemcpy(a, (float *)matrix, sizeof(matrix), cudaMemcpyHostToDevice));
  CHECK(floatMemcpy(b, a, sizeof(matrix), cudaMemcpyDeviceToDevice));
  smooth<<<dim3(2, 4), dim3(16, 8)>>>(a, b);
  CHECK(floatMemcpy((float *)matrix, b, sizeof(float) * N * N, cudaMemcpyDeviceToHost));

  double *grid = new double[nx * NY * NZ];
  for (int i = 0; i < nx * NY * NZ; ++i)
    grid[i] = i * 7919 % 1013;
  DoubleReorderedRows2View u = nullptr, v = nullptr;
  CHECK(doubleReorderedRows2Malloc(&u, nx * sizeof(Plane)));
  CHECK(doubleReorderedRows2Malloc(&v, nx * sizeof(Plane)));
  CHECK(doubleReorderedRows2Memcpy(u, grid, nx * sizeof(Plane), cudaMemcpyHostToDevice));
  CHECK(doubleReorderedRows2Memcpy(v, grid, nx * sizeof(Plane), cudaMemcpyHostToDevice));
  for (int i = 0; i < 3; ++i) {
    step<<<dim3(1, 2), dim3(16, 4)>>>(u, v, nx);
    std::swap(u, v);
  }
  CHECK(doubleReorderedRows2Memcpy(grid, u + 2, (nx - 2) * sizeof(Plane), cudaMemcpyDeviceToHost));
  const DoubleReorderedRows2View end = u + nx;

  double result = end - u;
  for (int i = 0; i < BODIES; ++i)
    result += velocities[i][0] + 3 * velocities[i][1] + 5 * velocities[i][2] + speeds[i];
  for (int i = 0; i < N * N; ++i)
    result += matrix[i / N][i % N] * (i % 7);
  for (int i = 0; i < (nx - 2) * NY * NZ; ++i)
    result += grid[i] * (i % 3);
  std::printf("%.10g\n", result);
  delete[] grid;
  CHECK(doubleReorderedRows1Free(acceleration));
  CHECK(cudaFree(where));
  CHECK(cudaFree(velocity));
  CHECK(doubleReorderedFree(speed));
  CHECK(floatFree(a));
  CHECK(floatFree(b));
  CHECK(doubleReorderedRows2Free(u));
  CHECK(doubleReorderedRows2Free(v));
}
