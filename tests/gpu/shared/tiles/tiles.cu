// SPDX-License-Identifier: Apache-2.0
// Records of 32 bytes in shared memory, of which lanes read fields of successive elements: eight
// lanes meet in a bank.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void pull(const float *in, float *out, int rounds) {
  __shared__ Particle tile[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  tile[t].x = in[i];
  tile[t].y = in[i] + 1;
  tile[t].z = in[i] * 2;
  tile[t].vx = tile[t].vy = tile[t].vz = 0.5f * t;
  tile[t].mass = 1;
  tile[t].charge = -1;
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const int k = (t + r * 32 + 1) % 256;
    sum += tile[k].x * tile[k].vx + tile[k].mass;
  }
  out[i] = sum;
}

int main(int argc, char **argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 16;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 64;
  const int n = blocks * 256;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = static_cast<float>(i % 113);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  pull<<<blocks, 256>>>(in, out, rounds);
  cudaEventRecord(begin);
  for (int step = 0; step < 10; ++step)
    pull<<<blocks, 256>>>(in, out, rounds);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("kernels %.4f ms, %g\n", ms, host[77]);
}
