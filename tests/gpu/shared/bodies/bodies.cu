// SPDX-License-Identifier: Apache-2.0
// Records of 32 bytes in shared memory, of which all lanes read the same element: no bank conflict.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Body {
  float x, y, z, mass, vx, vy, vz, radius;
};

__global__ void attract(const Body *bodies, float *out, int n) {
  __shared__ Body tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float x = bodies[i].x, y = bodies[i].y, z = bodies[i].z;
  float sum = 0;
  for (int first = 0; first < n; first += 128) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float dx = tile[k].x - x, dy = tile[k].y - y, dz = tile[k].z - z;
      sum += tile[k].mass * rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    }
    __syncthreads();
  }
  out[i] = sum;
}

int main(int argc, char **argv) {
  const int n = (argc > 1 ? std::atoi(argv[1]) : 8) * 128;
  std::vector<Body> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {i % 17 * 1.0f, i % 13 * 1.0f, i % 7 * 1.0f, 1, 0, 0, 0, 1};
  std::vector<float> sums(n);
  Body *bodies;
  float *out;
  cudaMalloc(&bodies, n * sizeof(Body));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(bodies, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  attract<<<n / 128, 128>>>(bodies, out, n);
  cudaEventRecord(begin);
  for (int step = 0; step < 10; ++step)
    attract<<<n / 128, 128>>>(bodies, out, n);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  cudaMemcpy(sums.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("kernels %.4f ms, %g\n", ms, sums[77]);
}
