// SPDX-License-Identifier: Apache-2.0
// Kernels whose hardware counters are known in advance, launched one by one or in a graph.
// What is to be counted, the program prints itself: "expect KERNEL METRIC VALUE", a launch.
//   counters launches|graph [ELEMENTS]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

struct Body { // a sector
  float x, y, z, mass;
  float vx, vy, vz, charge;
};

const int kThreads = 256;
const int kGraphLaunches = 6; // more than the counters have passes

__global__ void triad(const float *a, const float *b, float *c, float scale) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  c[i] = __fmaf_rn(scale, b[i], a[i]);
}

__global__ void chain(const double *in, double *out) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  double value = in[i];
  for (int k = 0; k < 8; ++k)
    value = __fma_rn(value, 1.0000001, 0.5);
  out[i] = __dadd_rn(__dmul_rn(value, 3.0), 7.0);
}

__global__ void mixed(const float *a, float *c) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  float value = a[i];
  for (int k = 0; k < 3; ++k)
    value = __fadd_rn(value, 0.25f);
  for (int k = 0; k < 5; ++k)
    value = __fmul_rn(value, 0.75f);
  c[i] = __fmaf_rn(value, 0.5f, 1.0f);
}

__global__ void oneField(const Body *bodies, float *masses) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  masses[i] = bodies[i].mass;
}

// Run twice it does something else than once: a replay that left memory changed would show.
__global__ void move(Body *bodies, float dt) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  bodies[i].x = __fmaf_rn(dt, bodies[i].vx, bodies[i].x);
}

void expect(const char *kernel, const char *metric, double value) {
  std::printf("expect %s %s %.0f\n", kernel, metric, value);
}

void expectAll(long n) {
  const double elements = static_cast<double>(n), warps = elements / 32;
  expect("triad", "load_requests", 2 * warps);
  expect("triad", "store_requests", warps);
  expect("triad", "load_sectors", 2 * 4 * warps);
  expect("triad", "store_sectors", 4 * warps);
  expect("triad", "ffma", elements);
  expect("triad", "dram_read_bytes", 8 * elements);
  expect("chain", "load_requests", warps);
  expect("chain", "store_requests", warps);
  expect("chain", "load_sectors", 8 * warps);
  expect("chain", "store_sectors", 8 * warps);
  expect("chain", "dfma", 8 * elements);
  expect("chain", "dmul", elements);
  expect("chain", "dadd", elements);
  expect("chain", "dram_read_bytes", 8 * elements);
  expect("mixed", "load_requests", warps);
  expect("mixed", "load_sectors", 4 * warps);
  expect("mixed", "store_sectors", 4 * warps);
  expect("mixed", "fadd", 3 * elements);
  expect("mixed", "fmul", 5 * elements);
  expect("mixed", "ffma", elements);
  expect("oneField", "load_requests", warps);
  expect("oneField", "store_requests", warps);
  expect("oneField", "load_sectors", 32 * warps);
  expect("oneField", "store_sectors", 4 * warps);
  expect("oneField", "dram_read_bytes", 32 * elements);
  expect("move", "load_requests", 2 * warps);
  expect("move", "store_requests", warps);
  expect("move", "load_sectors", 2 * 32 * warps);
  expect("move", "store_sectors", 32 * warps);
  expect("move", "ffma", elements);
  expect("move", "dram_read_bytes", 32 * elements);
}

int main(int argc, char **argv) {
  const char *const form = argc > 1 ? argv[1] : "";
  const long n = (argc > 2 ? std::atol(argv[2]) : 1L << 25) / kThreads * kThreads;
  const unsigned blocks = static_cast<unsigned>(n / kThreads);
  Body *bodies = nullptr;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  double *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&bodies, n * sizeof(Body)));
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * sizeof(float)));
  CHECK(cudaMalloc(&c, n * sizeof(float)));
  CHECK(cudaMalloc(&in, n * sizeof(double)));
  CHECK(cudaMalloc(&out, n * sizeof(double)));
  CHECK(cudaMemset(bodies, 0x3f, n * sizeof(Body))); // 0x3f3f3f3f: 0.747
  CHECK(cudaMemset(a, 0x3f, n * sizeof(float)));
  CHECK(cudaMemset(b, 0x3f, n * sizeof(float)));
  CHECK(cudaMemset(in, 0x3f, n * sizeof(double)));
  if (std::strcmp(form, "launches") == 0) {
    for (int step = 0; step < 3; ++step) {
      triad<<<blocks, kThreads>>>(a, b, c, 0.5f);
      chain<<<blocks, kThreads>>>(in, out);
      mixed<<<blocks, kThreads>>>(a, c);
      oneField<<<blocks, kThreads>>>(bodies, c);
      move<<<blocks, kThreads>>>(bodies, 0.5f);
    }
  } else if (std::strcmp(form, "graph") == 0) {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    cudaGraphExec_t runnable;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    move<<<blocks, kThreads, 0, stream>>>(bodies, 0.5f);
    chain<<<blocks, kThreads, 0, stream>>>(in, out);
    move<<<blocks, kThreads, 0, stream>>>(bodies, 0.25f);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&runnable, graph, 0));
    triad<<<blocks, kThreads>>>(a, b, c, 0.5f);
    for (int step = 0; step < kGraphLaunches; ++step)
      CHECK(cudaGraphLaunch(runnable, stream));
    CHECK(cudaStreamSynchronize(stream));
    chain<<<blocks, kThreads>>>(in, out);
    std::printf("expect_graph launches %d move 2 chain 1\n", kGraphLaunches);
  } else {
    std::fprintf(stderr, "no form '%s'\n", form);
    return 2;
  }
  CHECK(cudaDeviceSynchronize());
  Body last{};
  double value = 0;
  CHECK(cudaMemcpy(&last, bodies + n - 1, sizeof last, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&value, out + n - 1, sizeof value, cudaMemcpyDeviceToHost));
  expectAll(n);
  std::printf("last body %.9g %.9g, last value %.17g\n", last.x, last.mass, value);
  return 0;
}
