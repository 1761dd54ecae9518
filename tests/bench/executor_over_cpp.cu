// SPDX-License-Identifier: Apache-2.0
// Kernels beside the same loops in C++: what the CPU executor adds. Prints one line a kernel: name,
// nanoseconds an element as a kernel, and as a loop; executor_over_cpp.py reads them.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

struct Body {
  float x, y, z, w;
};

__global__ void saxpy(Body *out, const Body *in, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i].x = a * in[i].x + out[i].x;
    out[i].y = a * in[i].y + out[i].y;
  }
}

__global__ void stencil(Body *out, const Body *in, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
    return;
  const int i = (z * n + y) * n + x;
  out[i].x = 0.4f * in[i].x + 0.1f * (in[i - 1].x + in[i + 1].x + in[i - n].x + in[i + n].x +
                                      in[i - n * n].x + in[i + n * n].x);
}

constexpr int kThreads = 256;
constexpr int kRounds = 50;

__global__ void exchange(Body *bodies) {
  __shared__ float shared[kThreads];
  const int thread = threadIdx.x;
  Body *own = bodies + blockIdx.x * kThreads + thread;
  float value = own->x;
  for (int round = 0; round < kRounds; ++round) {
    shared[thread] = value;
    __syncthreads();
    value += shared[thread ^ 1];
    __syncthreads();
  }
  own->x = value;
}

// The bodies stand here again: a function for both would take host and device pointers, and such a
// program is not rewritten.
__attribute__((noinline)) void saxpyLoop(Body *out, const Body *in, float a, int n) {
  for (int i = 0; i < n; ++i) {
    out[i].x = a * in[i].x + out[i].x;
    out[i].y = a * in[i].y + out[i].y;
  }
}

__attribute__((noinline)) void stencilLoop(Body *out, const Body *in, int n) {
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
          continue;
        const int i = (z * n + y) * n + x;
        out[i].x = 0.4f * in[i].x + 0.1f * (in[i - 1].x + in[i + 1].x + in[i - n].x + in[i + n].x +
                                            in[i - n * n].x + in[i + n * n].x);
      }
}

/// Processor time, the best of several runs.
template <class Run> double nanoseconds(double elements, Run run) {
  double best = 1e18;
  for (int i = 0; i < 9; ++i) {
    const std::clock_t start = std::clock();
    run();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9);
  }
  return best / elements;
}

int main() {
  constexpr int kSide = 128;
  constexpr int kBodies = kSide * kSide * kSide;
  constexpr int kBlocks = 64;
  Body *out, *in;
  cudaMalloc(&out, kBodies * sizeof(Body));
  cudaMalloc(&in, kBodies * sizeof(Body));
  std::vector<Body> hostOut(kBodies), hostIn(kBodies);
  cudaMemcpy(out, hostOut.data(), kBodies * sizeof(Body), cudaMemcpyHostToDevice);
  cudaMemcpy(in, hostIn.data(), kBodies * sizeof(Body), cudaMemcpyHostToDevice);
  const dim3 grid(kSide / 32, kSide / 8, kSide), block(32, 8);
  std::printf(
      "saxpy %g %g\n",
      nanoseconds(kBodies, [&] { saxpy<<<kBodies / kThreads, kThreads>>>(out, in, 2, kBodies); }),
      nanoseconds(kBodies, [&] { saxpyLoop(hostOut.data(), hostIn.data(), 2, kBodies); }));
  std::printf("stencil %g %g\n",
              nanoseconds(kBodies, [&] { stencil<<<grid, block>>>(out, in, kSide); }),
              nanoseconds(kBodies, [&] { stencilLoop(hostOut.data(), hostIn.data(), kSide); }));
  std::printf("barrier %g 0\n", nanoseconds(2.0 * kRounds * kBlocks * kThreads,
                                            [&] { exchange<<<kBlocks, kThreads>>>(out); }));
  cudaMemcpy(hostOut.data(), out, kBodies * sizeof(Body), cudaMemcpyDeviceToHost);
  return 0;
}
