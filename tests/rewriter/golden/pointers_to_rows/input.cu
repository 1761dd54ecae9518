// SPDX-License-Identifier: Apache-2.0
// Pointers to rows: the bodies of kernels stay, and a row of the view is subscripted as an array.
#include <cstdio>
#include <cstdlib>
#include <utility>

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

__global__ void accelerate(vector3 *accelerations, const vector3 *positions, int bodies) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bodies)
    return;
  for (int j = 0; j < bodies; ++j) {
    vector3 *const own = &accelerations[i * bodies];
    vector3 distance;
    for (int k = 0; k < 3; k++)
      distance[k] = positions[i][k] - positions[j][k];
    if (i == j)
      FILL(accelerations[i * bodies + j], 0, 0, 0)
    else
      FILL(own[j], distance[0], 2 * distance[1], distance[2] - 1)
  }
}

__global__ void sum(vector3 *accelerations, vector3 *velocities, double *speeds, int bodies) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bodies)
    return;
  for (int j = 0; j < bodies; ++j)
    for (int k = 0; k < 3; ++k)
      velocities[i][k] += accelerations[i * bodies + j][k];
  speeds[i] = velocities[i][0] + velocities[i][1] + velocities[i][2];
}

__global__ void smooth(const float a[N][N], float b[][N]) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < N - 1 && j < N - 1)
    B(i, j) = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
  if (i == 0 && j < N)
    atomicAdd(&b[j][0], a[0][N * j + j]); // the diagonal, by a subscript that leaves its row
}

__global__ void step(const Plane *u, Plane *v, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= NY - 1)
    return;
  for (int z = 1; z < NZ - 1; ++z)
    v[x][y][z] = 0.5 * u[x][y][z] + 0.125 * (u[x - 1][y][z] + u[x + 1][y][z] + u[x][y][z - 1]);
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 12;
  static vector3 positions[BODIES], velocities[BODIES];
  for (int i = 0; i < BODIES; ++i)
    FILL(positions[i], i, i * 7 % 5, i * i % 11)
  vector3 *acceleration, *where, *velocity;
  double *speed, speeds[BODIES];
  CHECK(cudaMalloc((void **)&acceleration, sizeof(acceleration[0]) * BODIES * BODIES));
  CHECK(cudaMalloc(&where, sizeof(positions)));
  CHECK(cudaMalloc((void **)&velocity, BODIES * sizeof(*velocity)));
  CHECK(cudaMalloc((void **)&speed, sizeof(speeds)));
  CHECK(cudaMemcpy(where, positions, sizeof(positions), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(velocity, 0, BODIES * sizeof(vector3)));
  accelerate<<<1, 32>>>(acceleration, where, BODIES);
  sum<<<1, 32>>>(acceleration, velocity, speed, BODIES);
  CHECK(cudaMemcpy(speeds, speed, sizeof(speeds), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(velocities, velocity, sizeof(vector3) * BODIES, cudaMemcpyDeviceToHost));

  static float matrix[N][N];
  for (int i = 0; i < N * N; ++i)
    matrix[i / N][i % N] = i * 31 % 101;
  float(*a)[N], (*b)[N];
  CHECK(cudaMalloc((void **)&a, sizeof(float) * N * N));
  CHECK(cudaMalloc((void **)&b, N * N * sizeof(float)));
  CHECK(cudaMemcpy(a, matrix, sizeof(matrix), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, a, sizeof(matrix), cudaMemcpyDeviceToDevice));
  smooth<<<dim3(2, 4), dim3(16, 8)>>>(a, b);
  CHECK(cudaMemcpy(matrix, b, sizeof(float) * N * N, cudaMemcpyDeviceToHost));

  double *grid = new double[nx * NY * NZ];
  for (int i = 0; i < nx * NY * NZ; ++i)
    grid[i] = i * 7919 % 1013;
  Plane *u = nullptr, *v = nullptr;
  CHECK(cudaMalloc(&u, nx * sizeof(Plane)));
  CHECK(cudaMalloc(&v, nx * sizeof(Plane)));
  CHECK(cudaMemcpy(u, grid, nx * sizeof(Plane), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(v, grid, nx * sizeof(Plane), cudaMemcpyHostToDevice));
  for (int i = 0; i < 3; ++i) {
    step<<<dim3(1, 2), dim3(16, 4)>>>(u, v, nx);
    std::swap(u, v);
  }
  CHECK(cudaMemcpy(grid, u + 2, (nx - 2) * sizeof(Plane), cudaMemcpyDeviceToHost));
  Plane *const end = u + nx;

  double result = end - u;
  for (int i = 0; i < BODIES; ++i)
    result += velocities[i][0] + 3 * velocities[i][1] + 5 * velocities[i][2] + speeds[i];
  for (int i = 0; i < N * N; ++i)
    result += matrix[i / N][i % N] * (i % 7);
  for (int i = 0; i < (nx - 2) * NY * NZ; ++i)
    result += grid[i] * (i % 3);
  std::printf("%.10g\n", result);
  delete[] grid;
  CHECK(cudaFree(acceleration));
  CHECK(cudaFree(where));
  CHECK(cudaFree(velocity));
  CHECK(cudaFree(speed));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(u));
  CHECK(cudaFree(v));
}
