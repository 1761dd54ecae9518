// SPDX-License-Identifier: Apache-2.0
// Thrust, CUB and libcu++ of a CUDA toolkit, for where the system has none of its own.
#include "lowered_program.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

class ToolkitLibraries : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(TOOLKIT_CCCL))
      GTEST_SKIP() << "no CUDA toolkit 13 or later: '" TOOLKIT_CCCL "' is missing";
  }
  /// With the toolkit's before the system's.
  static void expectOutputOf(const char *text, const std::string &output) {
    ProgramText program(text);
    program.command.flags = {"-isystem", TOOLKIT_CCCL};
    expectOutput(program, output);
  }
};

TEST_F(ToolkitLibraries, ThrustVectorsLieInDeviceMemory) {
  expectOutputOf(R"(
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <cstdio>
static_assert(THRUST_VERSION >= 300000, "the toolkit's");
struct P { float x; int n; };
struct ByX { __device__ bool operator()(const P &a, const P &b) const { return a.x < b.x; } };
__global__ void fill(P *p, int n) { int i = threadIdx.x; if (i < n) { p[i].x = (i * 37) % 100; p[i].n = i; } }
int main() {
  thrust::device_vector<P> d(100);
  fill<<<1, 128>>>(thrust::raw_pointer_cast(d.data()), 100);
  thrust::sort(d.begin(), d.end(), ByX());
  P first[2]; cudaMemcpy(first, thrust::raw_pointer_cast(d.data()), sizeof first, cudaMemcpyDeviceToHost);
  thrust::device_vector<int> k(10); thrust::sequence(k.begin(), k.end());
  thrust::inclusive_scan(thrust::device, k.begin(), k.end(), k.begin());
  thrust::host_vector<int> h = k;
  std::printf("%g %d %d %d\n", first[1].x, first[1].n, thrust::reduce(k.begin(), k.end()), h[9]);
}
)",
                 "1 73 165 45\n");
}

TEST_F(ToolkitLibraries, AlgorithmsTakeStreams) {
  expectOutputOf(R"(
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <cstdio>
struct P { int n; };
__global__ void add(P *p, int *d) { p[threadIdx.x].n = d[threadIdx.x] += 1; }
int main() {
  cudaStream_t stream; cudaStreamCreate(&stream);
  thrust::device_vector<int> d(4);
  for (int i = 0; i < 4; ++i) d[i] = 7 - i;
  thrust::sort(thrust::cuda::par.on(stream), d.begin(), d.end());
  thrust::fill(thrust::device.on(stream), d.begin(), d.begin() + 1, 9);
  thrust::fill(thrust::cuda::par_nosync.on(stream), d.begin() + 1, d.begin() + 2, 8);
  P *p; cudaMalloc(&p, 4 * sizeof(P));
  add<<<1, 4, 0, stream>>>(p, thrust::raw_pointer_cast(d.data()));
  auto ones = thrust::make_constant_iterator(1); // of a header that the algorithms include
  std::printf("%d %d %d %d\n", int(d[0]), int(d[1]), int(d[2]), *ones);
}
)",
                 "10 9 7 1\n");
}

TEST_F(ToolkitLibraries, HeadersIncludeWhatThoseOfTheCudaBackEndDo) {
  expectOutputOf(R"(
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <cstdio>
struct P { float x; };
__global__ void fill(P *p) { p[threadIdx.x].x = 1; }
int main() {
  P *p; cudaMalloc(&p, 32 * sizeof(P)); fill<<<1, 32>>>(p);
  thrust::device_vector<int> d(10);
  thrust::sequence(d.begin(), d.end());
  const auto largest = thrust::max_element(d.begin(), d.end());
  std::printf("%d %d\n", int(*largest), int(thrust::count(d.begin(), d.end(), 3)));
}
)",
                 "9 1\n");
}

TEST_F(ToolkitLibraries, StandardLibraryInKernels) {
  expectOutputOf(R"(
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cstdio>
struct P { float x; int n; };
__device__ cuda::std::tuple<float, int> both(P p) { return cuda::std::make_tuple(p.x, p.n); }
__global__ void k(P *p, int *total) {
  cuda::std::array<float, 2> pair{cuda::std::fabs(p[threadIdx.x].x), 1.0f};
  cuda::atomic_ref<int, cuda::thread_scope_device>(*total).fetch_add(cuda::std::get<1>(both(p[threadIdx.x])));
  p[threadIdx.x].x = pair[0] + pair[1];
}
int main() {
  P *p; int *total;
  cudaMallocManaged(&p, 32 * sizeof *p); cudaMallocManaged(&total, sizeof *total);
  *total = 0;
  for (int i = 0; i < 32; ++i) { p[i].x = -i; p[i].n = i; }
  k<<<1, 32>>>(p, total);
  cudaDeviceSynchronize();
  std::printf("%d %g %d\n", *total, p[31].x, cuda::std::numeric_limits<short>::max());
}
)",
                 "496 32 32767\n");
}

TEST_F(ToolkitLibraries, FlagsOfAtomicsAreWaitedFor) {
  expectOutputOf(R"(
#include <cuda/atomic>
#include <cstdio>
struct P { float x; int n; };
__global__ void k(P *p, int *turn) {
  cuda::atomic_ref<int, cuda::thread_scope_device> now(*turn);
  const int i = blockIdx.x * blockDim.x + threadIdx.x, own = blockDim.x * gridDim.x - 1 - i;
  while (now.load(cuda::std::memory_order_acquire) != own) {}
  p[i].n = own == 0 ? 1 : p[i + 1].n + own;
  now.store(own + 1, cuda::std::memory_order_release);
}
int main() {
  P *p; int *turn;
  cudaMallocManaged(&p, 96 * sizeof *p); cudaMallocManaged(&turn, sizeof *turn);
  *turn = 0;
  k<<<3, 32>>>(p, turn);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", p[95].n, p[0].n);
}
)",
                 "1 4561\n");
}

TEST_F(ToolkitLibraries, CubBringsHeadersThatTheToolkitsDoes) {
  expectOutputOf(R"(
#include <cub/cub.cuh>
#include <cstdio>
struct P { int n; };
__global__ void k(P *p, int *total) {
  p[threadIdx.x].n = cuda::std::numeric_limits<short>::max();
  cuda::atomic_ref<int, cuda::thread_scope_device>(*total).fetch_add(1, cuda::memory_order_relaxed);
}
int main() {
  P *p; int *total;
  cudaMallocManaged(&p, 32 * sizeof *p); cudaMallocManaged(&total, sizeof *total);
  *total = 0;
  k<<<1, 32>>>(p, total); cudaDeviceSynchronize();
  std::printf("%d %d\n", p[31].n, *total);
}
)",
                 "32767 32\n");
}

TEST_F(ToolkitLibraries, BarriersAreTheExecutorsBesideLibcudaxx) {
  expectOutputOf(R"(
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/barrier>
#include <cstdio>
struct P { int n; };
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void k(P *p, int *ends) {
  __shared__ Barrier came;
  __shared__ int copied[64];
  if (threadIdx.x == 0) init(&came, blockDim.x);
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(copied, &p[0].n, cuda::aligned_size_t<16>(sizeof copied), came);
    token = cuda::device::barrier_arrive_tx(came, 1, sizeof copied);
  } else {
    token = came.arrive();
  }
  while (!came.try_wait_for(cuda::std::move(token), cuda::std::chrono::nanoseconds(100))) {}
  p[threadIdx.x].n = copied[63 - threadIdx.x];
  if (threadIdx.x < 32) {
    came.arrive_and_drop();
  } else {
    came.arrive_and_wait();
    came.arrive_and_wait();
    cuda::atomic_ref<int, cuda::thread_scope_block>(*ends).fetch_add(1, cuda::memory_order_relaxed);
  }
}
int main() {
  P *p; int *ends;
  cudaMallocManaged(&p, 64 * sizeof *p); cudaMallocManaged(&ends, sizeof *ends);
  *ends = 0;
  for (int i = 0; i < 64; ++i) p[i].n = i;
  k<<<1, 64>>>(p, ends);
  cudaDeviceSynchronize();
  std::printf("%d %d %d\n", p[0].n, p[63].n, *ends);
}
)",
                 "63 0 32\n");
}

TEST(Cub, AlgorithmsTakeFunctorsThatAreForTheDeviceAlone) {
  const ProgramText program(R"(
#include <cub/cub.cuh>
#include <cstdio>
struct P { float x; int n; };
struct Total { template <class T> __device__ T operator()(const T &a, const T &b) const { return a + b; } };
__global__ void fill(P *p, int *in) { p[threadIdx.x].n = threadIdx.x; in[threadIdx.x] = p[threadIdx.x].n; }
int main() {
  P *p; int *in, *out; void *storage = nullptr; size_t bytes = 0;
  cudaMalloc(&p, 32 * sizeof *p); cudaMalloc(&in, 128); cudaMallocManaged(&out, 128);
  fill<<<1, 32>>>(p, in);
  cub::DeviceScan::ExclusiveScan(storage, bytes, in, out, Total(), 0, 32);
  cudaMalloc(&storage, bytes);
  cub::DeviceScan::ExclusiveScan(storage, bytes, in, out, Total(), 0, 32);
  std::printf("%d\n", out[31]);
}
)");
  expectOutputWith(Probes::None, program, program.program(), "465\n");
}

/// What only the toolkit has is found there; what the system has comes from the system.
TEST(HeaderFolders, AToolkitsLibrariesComeLast) {
  ProgramText program(R"(
#include <stdio.h>
#include <thrust/of_toolkit.h>
struct P { float x, y; };
__global__ void k(P *p) { p[threadIdx.x].x = kOfToolkit; }
int main() { P *p; cudaMalloc(&p, 32 * sizeof(P)); k<<<1, 32>>>(p); puts("done"); }
)");
  const auto without = lowerForHost(program.command, Probes::Trace);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, Code::NotOnCpuExecutor);
  program.add("cccl/thrust/of_toolkit.h", "constexpr float kOfToolkit = 1;\n");
  program.add("cccl/stdio.h", "#error this is not the system's\n");
  program.add("cccl/cuda_runtime.h", "#error this is not the executor's\n");
  program.command.cccl = program.folder() + "/cccl";
  const auto with = lowerForHost(program.command, Probes::Trace);
  EXPECT_TRUE(with.has_value()) << render(toDiagnostic(with ? Error{} : with.error()));
}

} // namespace
} // namespace relayout::instrument
