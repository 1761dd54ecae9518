// SPDX-License-Identifier: Apache-2.0
// Programs that use CUDA's libraries are lowered, compiled and run; a use of what is missing is an
// error at its place, an #include alone is not.
#include "lowered_program.h"

#include "relayout/instrument/clang/front_end.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace relayout::instrument {
namespace {

TEST(Libraries, RandomNumbersInDeviceAndHostCode) {
  expectOutputOfAny(R"(
#include <curand.h>
#include <curand_kernel.h>
#include <cstdio>
struct Walker { float x; unsigned steps; curandState state; };
__global__ void start(Walker *w) {
  curand_init(1234, threadIdx.x, 0, &w[threadIdx.x].state);
  w[threadIdx.x].steps = 0;
}
__global__ void step(Walker *w) {
  curandState local = w[threadIdx.x].state;
  w[threadIdx.x].x = curand_uniform(&local);
  w[threadIdx.x].steps += curand(&local) & 1;
  w[threadIdx.x].state = local;
}
int main() {
  Walker *w; cudaMalloc(&w, 32 * sizeof(Walker));
  start<<<1, 32>>>(w); step<<<1, 32>>>(w);
  Walker first; cudaMemcpy(&first, w, sizeof first, cudaMemcpyDeviceToHost);
  curandGenerator_t g; curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(g, 1234);
  float *u; cudaMalloc(&u, 16); curandGenerateUniform(g, u, 4);
  float host[4]; cudaMemcpy(host, u, 16, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[0] == first.x && first.x > 0 && first.x <= 1);
}
)",
                    "1\n");
}

TEST(Libraries, GraphsOfCapturedStreams) {
  expectOutputOfAny(R"(
#include <cstdio>
struct P { float x, y; };
__global__ void step(P *p, float by) { p[threadIdx.x].x += by; p[threadIdx.x].y -= 1; }
template <class T> __global__ void twice(T *p) { p[threadIdx.x].x *= 2; }
int main() {
  P *p; cudaMalloc(&p, 32 * sizeof(P)); cudaMemset(p, 0, 32 * sizeof(P));
  cudaStream_t s; cudaStreamCreate(&s);
  cudaGraph_t graph; cudaGraphExec_t run;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 1; i < 3; ++i) step<<<1, 32, 0, s>>>(p, i);
  twice<<<1, 32, 0, s>>>(p);
  cudaStreamEndCapture(s, &graph); cudaGraphInstantiate(&run, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(run, s);
  cudaStreamSynchronize(s);
  P h; cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", h.x, h.y);
}
)",
                    "42 -6\n");
}

TEST(Libraries, HalvesGroupsAndLaunchesByPointer) {
  expectOutputOfAny(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void sum(const half *in, float *out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const float total = cg::reduce(tile, __half2float(in[threadIdx.x]), cg::plus<float>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = total;
}
template <int By> __global__ void shift(int *p, int n) {
  cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  const int next = p[(i + By) % n];
  grid.sync();
  p[i] = next;
}
int main() {
  half *in; float *out; int *p;
  cudaMallocManaged(&in, 16 * sizeof(half)); cudaMallocManaged(&out, 8); cudaMallocManaged(&p, 256);
  for (int i = 0; i < 16; ++i) in[i] = __float2half(i + 0.5f);
  void *first[] = {&in, &out};
  cudaLaunchKernel((const void *)sum, dim3(1), dim3(16), first, 0, 0);
  for (int i = 0; i < 64; ++i) p[i] = i;
  int n = 64; void *second[] = {&p, &n};
  cudaLaunchCooperativeKernel((void *)shift<3>, 4, 16, second);
  std::printf("%g %g %d %d\n", out[0], out[1], p[0], p[63]);
}
)",
                    "32 96 3 2\n");
}

/// With libcu++'s atomics where they are found, and without.
constexpr const char *kBarriers = R"(
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cstdio>
#include <utility>
namespace cg = cooperative_groups;
struct P { float x, y; };
__global__ void reverse(P *p) {
  __shared__ P tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> loaded;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&loaded, block.size());
  block.sync();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(&tile[threadIdx.x], &p[blockIdx.x * 64 + threadIdx.x],
                       cuda::aligned_size_t<8>(sizeof(P)), loaded);
    cuda::barrier<cuda::thread_scope_block>::arrival_token token = loaded.arrive();
    loaded.wait(std::move(token));
    P q = tile[63 - threadIdx.x];
    q.y += 1;
    p[blockIdx.x * 64 + threadIdx.x] = q;
    loaded.arrive_and_wait();
  }
  cuda::memcpy_async(block, tile, p + blockIdx.x * 64, sizeof tile, loaded);
  loaded.arrive_and_wait();
  p[blockIdx.x * 64 + threadIdx.x].y += tile[63 - threadIdx.x].x;
}
__global__ void handed(const P *p, P *q, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ P stage[2][32];
  const bool fills = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state,
                                  fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int t = 0; t < tiles; ++t)
    if (fills) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[t % 2][threadIdx.x], &p[t * 32 + threadIdx.x], sizeof(P), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      P v = stage[t % 2][63 - threadIdx.x];
      v.y += t;
      q[t * 32 + threadIdx.x - 32] = v;
      pipe.consumer_release();
    }
}
__global__ void begin(cuda::barrier<cuda::thread_scope_device> *every, int n) { init(every, n); }
__global__ void across(P *p, cuda::barrier<cuda::thread_scope_device> *every, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x = i;
  every->arrive_and_wait();
  p[i].y = p[n - 1 - i].x;
}
int main() {
  P *p, *q; cudaMallocManaged(&p, 128 * sizeof(P)); cudaMallocManaged(&q, 128 * sizeof(P));
  for (int i = 0; i < 128; ++i) p[i] = {float(i), 0};
  reverse<<<2, 64>>>(p); cudaDeviceSynchronize();
  std::printf("%g %g %g\n", p[0].x, p[0].y, p[127].x);
  handed<<<1, 64>>>(p, q, 4); cudaDeviceSynchronize();
  std::printf("%g %g %g %g\n", q[0].x, q[31].x, q[32].x, q[127].y);
  cuda::barrier<cuda::thread_scope_device> *every; cudaMalloc(&every, sizeof *every);
  begin<<<1, 1>>>(every, 128); across<<<4, 32>>>(p, every, 128); cudaDeviceSynchronize();
  std::printf("%g %g\n", p[0].y, p[127].y);
}
)";

TEST(Libraries, BarriersAndPipelinesOfLibcudaxx) {
  expectOutputOfAny(kBarriers, "63 3 64\n32 63 0 102\n127 0\n");
}

TEST(Libraries, CopiesByPrimitivesOfPipelines) {
  expectOutputOfAny(R"(
#include <cuda_pipeline.h>
#include <cstdio>
struct P { float x, y; };
__global__ void shift(P *p) {
  __shared__ P tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &p[threadIdx.x], sizeof(P), threadIdx.x == 31 ? 4 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  p[threadIdx.x] = tile[(threadIdx.x + 31) % 32];
}
int main() {
  P *p; cudaMallocManaged(&p, 32 * sizeof(P));
  for (int i = 0; i < 32; ++i) p[i] = {float(i), 1};
  shift<<<1, 32>>>(p); cudaDeviceSynchronize();
  std::printf("%g %g %g\n", p[0].x, p[0].y, p[31].y);
}
)",
                    "31 0 1\n");
}

TEST(Libraries, KernelsCopyAndSetWhatTheyLaunchedBefore) {
  expectOutputOfAny(R"(
#include <cstdio>
struct P { float x, y; };
__global__ void add(P *p) { p[threadIdx.x].x += 1; }
__global__ void k(P *p, P *q, int *out) {
  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  p[3].x = 5;
  add<<<1, 32, 0, s>>>(p);
  cudaMemcpyAsync(q, p, 32 * sizeof(P), cudaMemcpyDeviceToDevice, s);
  cudaMemcpy2DAsync(q + 32, sizeof(P), p, sizeof(P), 4, 32, cudaMemcpyDeviceToDevice, s);
  cudaMemsetAsync(p, 0, 16 * sizeof(P), s);
  cudaMemset2DAsync(p + 16, sizeof(P), 0, 4, 16, s);
  cudaEvent_t event; cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, s); cudaStreamWaitEvent(s, event, 0); cudaEventDestroy(event);
  cudaStreamDestroy(s);
  cudaGetDevice(&out[0]); cudaGetDeviceCount(&out[1]);
  cudaDeviceGetAttribute(&out[2], cudaDevAttrWarpSize, out[0]);
  int *own = nullptr;
  if (cudaMalloc(&own, 64) == cudaSuccess) { own[0] = 7; out[3] = own[0]; cudaFree(own); }
}
int main() {
  P *p, *q; int *out;
  cudaMallocManaged(&p, 32 * sizeof(P)); cudaMallocManaged(&q, 64 * sizeof(P)); cudaMallocManaged(&out, 32);
  for (int i = 0; i < 32; ++i) p[i] = {float(i), 1};
  k<<<1, 1>>>(p, q, out); cudaDeviceSynchronize();
  std::printf("%g %g %g %g, ", q[3].x, q[31].x, q[32].x, q[32].y);
  std::printf("%g %g %g %g, ", p[0].x, p[15].y, p[16].x, p[16].y);
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
}
)",
                    "6 32 1 0, 0 0 0 1, 0 1 32 7\n");
}

// nvcc sees what a program shows the device alone, and is not asked for more.
TEST(Libraries, AtomicExtremesOfFloatsAreTheProgramsWhereItShowsThem) {
  expectOutputOfAny(R"(
#include <cstdio>
namespace own {
#ifdef __CUDA_ARCH__
__device__ inline float atomicMin(float *a, float v) {
  float old = *a;
  while (v < old) {
    const float seen = __uint_as_float(
        atomicCAS((unsigned *)a, __float_as_uint(old), __float_as_uint(v)));
    if (seen == old) break;
    old = seen;
  }
  return old;
}
#endif
template <class T> __global__ void least(const T *p, T *out) { atomicMin(out, p[threadIdx.x]); }
} // namespace own
template <class T> __device__ T atomicMax(T *a, T v) { if (*a < v) *a = v; return T(100); }
__device__ double atomicMin(double *a, double v) { if (v < *a) *a = v; return -100; }
__global__ void others(double *d, float *f) { d[1] = atomicMin(d, -2.0); f[1] = atomicMax(f, 9.0f); }
int main() {
  float *p, *f; double *d;
  cudaMallocManaged(&p, 128); cudaMallocManaged(&f, 64); cudaMallocManaged(&d, 64);
  for (int i = 0; i < 32; ++i) p[i] = (i * 7) % 32 - 4;
  f[0] = 1; d[0] = 5;
  own::least<<<1, 32>>>(p, f); cudaDeviceSynchronize(); std::printf("%g ", f[0]);
  others<<<1, 1>>>(d, f); cudaDeviceSynchronize();
  std::printf("%g %g %g %g\n", d[0], d[1], f[0], f[1]);
}
)",
                    "-4 -2 -100 9 100\n");
}

TEST(Libraries, FourierTransformsOfDeviceMemory) {
  expectOutputOfAny(R"(
#include <cufft.h>
#include <cstdio>
__global__ void fill(cufftComplex *c) { c[threadIdx.x].x = threadIdx.x; c[threadIdx.x].y = 1; }
__global__ void scale(cufftComplex *c, float by) { c[threadIdx.x].x *= by; c[threadIdx.x].y *= by; }
int main() {
  cufftComplex *c; cudaMalloc(&c, 8 * sizeof *c);
  fill<<<1, 8>>>(c);
  cufftHandle plan; cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
  cufftExecC2C(plan, c, c, CUFFT_FORWARD);
  cufftComplex sum; cudaMemcpy(&sum, c, sizeof sum, cudaMemcpyDeviceToHost);
  cufftExecC2C(plan, c, c, CUFFT_INVERSE);
  scale<<<1, 8>>>(c, 1 / 8.0f);
  cufftDestroy(plan);
  cufftComplex back[8]; cudaMemcpy(back, c, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%g %g %.3f\n", sum.x, sum.y, back[5].x);
}
)",
                    "28 8 5.000\n");
}

TEST(Libraries, ProductsOfMatrixUnits) {
  expectOutputOfAny(R"(
#include <mma.h>
#include <cstdio>
using namespace nvcuda;
__global__ void fill(half *m, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) m[i] = __float2half(i % 3);
}
__global__ void square(const half *m, float *product) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  wmma::load_matrix_sync(a, m, 16);
  wmma::load_matrix_sync(b, m, 16);
  wmma::mma_sync(sums, a, b, sums);
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] *= 2;
  wmma::store_matrix_sync(product, sums, 16, wmma::mem_row_major);
}
int main() {
  half *m; float *product, host[256];
  cudaMalloc(&m, 512); cudaMalloc(&product, 1024);
  fill<<<1, 64>>>(m, 256); square<<<1, 32>>>(m, product);
  cudaMemcpy(host, product, 1024, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", host[0], host[17], host[255]);
}
)",
                    "50 52 50\n");
}

std::string ofGpuProgram(const std::string &file) {
  std::ifstream in(std::string(GPU_PROGRAMS) + "/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Libraries, ComputeWhatAGpuDoes) {
  const ProgramText program(ofGpuProgram("libraries.cu"));
  expectOutputWith(Probes::None, program, program.program(), ofGpuProgram("libraries_h200.txt"));
}

#if __has_include(<thrust/version.h>)
TEST(Libraries, ThrustVectorsLieInDeviceMemory) {
  expectOutputOfAny(R"(
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <cstdio>
struct P { float x; int n; };
struct ByX { __host__ __device__ bool operator()(const P &a, const P &b) const { return a.x < b.x; } };
__global__ void fill(P *p, int n) { int i = threadIdx.x; if (i < n) { p[i].x = (i * 37) % 100; p[i].n = i; } }
int main() {
  thrust::device_vector<P> d(100);
  fill<<<1, 128>>>(thrust::raw_pointer_cast(d.data()), 100);
  thrust::sort(d.begin(), d.end(), ByX());
  P first[2]; cudaMemcpy(first, thrust::raw_pointer_cast(d.data()), sizeof first, cudaMemcpyDeviceToHost);
  thrust::device_vector<int> k(10); thrust::sequence(k.begin(), k.end());
  std::printf("%g %d %d %d\n", first[1].x, first[1].n, thrust::reduce(k.begin(), k.end()), (int)k[3]);
}
)",
                    "1 73 45 3\n");
}

TEST(Libraries, ThrustPointersComeFirst) {
  expectOutputOfAny(R"(
#include <thrust/device_ptr.h>
#include <thrust/sort.h>
#include <cstdio>
struct P { int key, n; };
__global__ void keys(P *p, int *key) { key[threadIdx.x] = p[threadIdx.x].key; }
int main() {
  P host[3] = {{3, 0}, {1, 0}, {2, 0}}, *p; cudaMalloc(&p, sizeof host);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  int sorted[3], *d; cudaMalloc(&d, sizeof sorted);
  keys<<<1, 3>>>(p, d);
  thrust::device_ptr<int> first(d);
  thrust::sort(first, first + 3);
  cudaMemcpy(sorted, d, sizeof sorted, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", sorted[0], sorted[1], sorted[2]);
}
)",
                    "1 2 3\n");
}
#endif

TEST(LibraryHeaders, AnIncludeOfWhatIsNotUsedIsNoError) {
  const ProgramText program(R"(
#include <cublas_v2.h>
#include <cublasLt.h>
#include <cudnn.h>
#include <cufft.h>
#include <curand_mtgp32_host.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <mma.h>
#include <nccl.h>
#include <nvToolsExt.h>
#include <nvrtc.h>
#include <nvtx3/nvToolsExt.h>
int main() { nvtxRangePushA("all"); nvtxRangePop(); }
)");
  EXPECT_EQ(runLowered(program, Probes::None, hostCompilers().front()), "exit 0");
}

TEST(LibraryHeaders, HostUnitsInCxxIncludeThemToo) {
  ProgramText program(R"(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cufft.h>
#include <curand.h>
#include <mma.h>
float first(const half *values) { return __half2float(values[0]) + __half2int_rn(values[1]); }
)",
                      "unit.cpp");
  program.command.language = Language::Cxx;
  EXPECT_TRUE(parse(program.command, Pass::Host).has_value());
}

TEST(LibraryHeaders, AUseOfWhatIsMissingIsAnErrorAtItsPlace) {
  const ProgramText program("#include <cusolverDn.h>\n"
                            "int main() {\n"
                            "  cusolverDnHandle_t handle;\n"
                            "}\n");
  const auto lowered = lowerForHost(program.command, Probes::None);
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().code, Code::NotOnCpuExecutor);
  EXPECT_THAT(lowered.error().text, testing::HasSubstr("'cusolverDnHandle_t'"));
  EXPECT_EQ(lowered.error().where.line, 3);
}

TEST(LibraryHeaders, HandlesOfCublasLtAreThereAndNoProducts) {
  const ProgramText handles("#include <cublasLt.h>\n"
                            "int main() {\n"
                            "  cublasLtHandle_t handle;\n"
                            "  return cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS ||\n"
                            "         cublasLtDestroy(handle) != CUBLAS_STATUS_SUCCESS;\n"
                            "}\n");
  EXPECT_EQ(runLowered(handles, Probes::None, hostCompilers().front()), "exit 0");
  const ProgramText product("#include <cublasLt.h>\n"
                            "int main() {\n"
                            "  cublasLtMatmulDesc_t product;\n"
                            "}\n");
  const auto lowered = lowerForHost(product.command, Probes::None);
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().code, Code::NotOnCpuExecutor);
  EXPECT_EQ(lowered.error().where.line, 3);
}

TEST(LibraryHeaders, ALaunchOfAKernelThatIsNotNamedIsRefused) {
  const ProgramText program("__global__ void k() {}\n"
                            "int main() {\n"
                            "  void *kernel = (void *)k;\n"
                            "  cudaLaunchKernel(kernel, 1, 1, nullptr);\n"
                            "}\n");
  const auto lowered = lowerForHost(program.command, Probes::None);
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().code, Code::NotOnCpuExecutor);
  EXPECT_EQ(lowered.error().where.line, 4);
}

} // namespace
} // namespace relayout::instrument
