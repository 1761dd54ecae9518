// SPDX-License-Identifier: Apache-2.0
// Records of four doubles in shared memory: a sweep that stays in the tile, as a line
// solver has one.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct State {
  double density, momentum, energy, flux;
};

__global__ void sweep(const double *in, double *out, int rounds) {
  __shared__ State line[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  line[t].density = in[i];
  line[t].momentum = 0.5 * in[i];
  line[t].energy = 2;
  line[t].flux = 0;
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    line[t].flux = line[(t + 1) % 256].momentum - line[t].momentum;
    __syncthreads();
    line[t].density -= 0.01 * line[t].flux;
    line[t].momentum -= 0.01 * (line[t].flux - line[(t + 255) % 256].flux);
    __syncthreads();
  }
  out[i] = line[t].density + line[t].momentum + line[t].energy;
}

int main(int argc, char **argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 16;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 32;
  const int n = blocks * 256;
  std::vector<double> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = i % 113;
  double *in, *out;
  cudaMalloc(&in, n * sizeof(double));
  cudaMalloc(&out, n * sizeof(double));
  cudaMemcpy(in, host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  sweep<<<blocks, 256>>>(in, out, rounds);
  cudaEventRecord(begin);
  for (int step = 0; step < 10; ++step)
    sweep<<<blocks, 256>>>(in, out, rounds);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  cudaMemcpy(host.data(), out, n * sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("kernels %.4f ms, %g\n", ms, host[77]);
}
