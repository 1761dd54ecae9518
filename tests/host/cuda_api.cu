// SPDX-License-Identifier: Apache-2.0
// Uses most of the CUDA that the executor's headers declare. Parsed as CUDA by a test, never run.
#include <cooperative_groups.h>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp8.h>
#include <cuda_occupancy.h>
#include <cuda_pipeline.h>
#include <cuda_profiler_api.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>
#include <cusparse.h>
#include <device_launch_parameters.h>
#include <math_constants.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct __align__(16) Particle {
  float x, y;
  float3 velocity;
};

const char *nameOf(CUresult result) {
  return result == CUDA_ERROR_ILLEGAL_ADDRESS ? "illegal address" : "other";
}

const char *driverNameOf(CUresult result) {
  const char *name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : nameOf(result);
}

__global__ void drawShared(curandStateMtgp32 *states, float *f) {
  f[threadIdx.x] = curand_uniform(&states[blockIdx.x]) + curand_normal(&states[blockIdx.x]);
}

__constant__ float coefficients[4];
__device__ int counter;
__managed__ int managed;
__device__ const float table[2] = {1.0f, 2.0f};

template <class T> __device__ T squared(T a) { return a * a; }

__host__ __device__ inline float everywhere(float a) {
  return fmaxf(a, 0.f) + abs(a) + sqrt(a) + pow(a, 2) + std::abs(a) + std::max(a, 1.f) + isnan(a) +
         std::isfinite(a) + floor(a) + rsqrtf(a) + min(1, 2) + CUDART_PI_F;
}
__device__ __forceinline__ float inlined(float a) { return a; }
__device__ __noinline__ float called(float a) { return a; }

__global__ void math(float *f, double *d, int n) {
  float s, c;
  sincosf(1.f, &s, &c);
  __sincosf(1.f, &s, &c);
  sincospif(1.f, &s, &c);
  f[0] = s + c + __sinf(s) + __cosf(s) + __expf(s) + __logf(s) + __powf(s, c) + __fdividef(s, c);
  f[1] = __fmaf_rn(s, c, s) + __frcp_rn(s) + __fsqrt_rn(s) + __int_as_float(3) + rsqrtf(s);
  f[2] = cbrtf(s) + rcbrtf(s) + norm3df(1, 2, 3) + rnorm3df(1, 2, 3) + erff(s) + tgammaf(s) +
         exp10f(s) + exp2f(s) + log1pf(s) + expm1f(s) + fdimf(s, c) + hypotf(s, c) + atan2f(s, c);
  float whole;
  int exponent;
  f[3] = modff(2.5f, &whole) + frexpf(2.5f, &exponent) + ldexpf(1.f, 2) + fmodf(s, c) +
         copysignf(s, c) + roundf(s) + truncf(s) + ceilf(s) + rintf(s) + nearbyintf(s);
  f[4] = exp(1.f) + log(1.f) + sin(1.f) + cos(1.f) + tan(1.f) + atan2(1.f, 2.f) + fabs(1.f) +
         fmod(3.f, 2.f) + round(1.f) + ceil(1.f) + tanh(1.f) + asinf(1.f);
  d[0] =
      rsqrt(2.0) + sinpi(1.0) + norm3d(1, 2, 3) + max(1.0f, 2.0) + min(1.0, 2.0) + fma(1., 2., 3.);
  long l = -3;
  d[1] = abs(l) + llabs(-3ll) + max(n, 3u) + max(3ll, 4ll) + __saturatef(s) + lroundf(s);
  n = __float2int_rn(s) + __double2int_rz(1.0) + __float_as_int(s) + __popc(7) + __clz(7) +
      __ffs(7) + __brev(7u) + __mul24(1, 2) + __umulhi(1u, 2u) + __byte_perm(1, 2, 3);
  d[2] = n + __hiloint2double(1, 2) + __popcll(7ull) + __clzll(7ll) + atomicAdd(d, 1.0);
  std::complex<float> z(1, 2);
  z = z * z;
}

__global__ void __launch_bounds__(256, 2)
    api(Particle *__restrict__ p, const __grid_constant__ int n) {
  __shared__ float s[256];
  __shared__ Particle staged[2];
  extern __shared__ float dynamic[];
  int i = blockIdx.x * blockDim.x + threadIdx.x + gridDim.y * warpSize;
  assert(i >= 0);
  s[threadIdx.x] = i;
  __syncthreads();
  if (i < n) {
    p[i].x = squared(2.f) + everywhere(1.f) + coefficients[1] + table[0] + inlined(1) + called(2);
    atomicAdd(&p[i].x, 1.f);
    atomicAdd(&counter, 1);
    unsigned mask = __activemask();
    p[i].y = __shfl_down_sync(mask, s[0], 16) + __shfl_sync(mask, i, 0) +
             __shfl_xor_sync(mask, 1.0, 1) + __shfl_up_sync(mask, 1u, 1, 16) +
             __ballot_sync(mask, i > 3) + __all_sync(mask, 1) + __any_sync(mask, 0) +
             __match_any_sync(mask, i) + __reduce_add_sync(mask, i);
    __syncwarp();
    p[i].velocity = make_float3(1, 2, 3);
    staged[0] = p[i];
    dynamic[0] = __ldg(&p[i].x) + __syncthreads_count(1) + __syncthreads_or(0);
    __threadfence();
    __threadfence_block();
    printf("%d %lld\n", i, clock64());
    memset(s, 0, 4);
    memcpy(s, dynamic, 4);
    int *heap = (int *)malloc(4);
    free(heap);
    unsigned old = atomicCAS((unsigned *)heap, 1u, 2u) + atomicExch((unsigned *)heap, 1u) +
                   atomicMax((unsigned *)heap, 3u) + atomicInc((unsigned *)heap, 4u);
    atomicMin(&counter, (int)old);
    __nanosleep(10);
  }
}

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s: %s\n", cudaGetErrorName(status), cudaGetErrorString(status));           \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

int main() {
  Particle *p;
  float4 *v;
  CHECK(cudaMalloc(&p, 100 * sizeof(Particle)));
  CHECK(cudaMalloc((void **)&v, 3));
  CHECK(cudaMallocManaged(&v, 16));
  CHECK(cudaMallocHost(&v, 16));
  CHECK(cudaHostAlloc((void **)&v, 16, cudaHostAllocDefault));
  api<<<dim3(1), 256, 1024>>>(p, 10);
  api<<<1, 1, 0, 0>>>(p, 1);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyToSymbol(coefficients, p, 16));
  float host[4];
  CHECK(cudaMemcpyFromSymbol(host, coefficients, sizeof host));
  CHECK(cudaFuncSetAttribute(api, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
  CHECK(cudaFuncSetCacheConfig(api, cudaFuncCachePreferL1));
  void *address;
  CHECK(cudaGetSymbolAddress(&address, counter));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpyAsync(p, p, 0, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaMemsetAsync(p, 0, 4, stream));
  CHECK(cudaStreamSynchronize(stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  CHECK(cudaEventRecord(stop, stream));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int blocks;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, api, 256, 0));
  std::vector<int> list{3, 1, 2};
  std::sort(list.begin(), list.end());
  std::mt19937 random(1);
  std::thread([] {}).join();
  std::cout << std::string("x") << std::chrono::steady_clock::now().time_since_epoch().count();
  managed = 3;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(p));
  return everywhere(1.f) > 0 ? 0 : 1;
}

__global__ void newer(float *f, unsigned *u, cudaTextureObject_t texture) {
  f[0] = __fadd_rz(f[1], f[2]) + __fsqrt_ru(f[3]) + static_cast<float>(__fma_rd(1.0, 2.0, 3.0));
  f[1] = __int2float_rd(3) + static_cast<float>(__ll2double_ru(5)) + __double2float_rz(0.1);
  u[0] = __vadd4(u[1], u[2]) + __vabsdiffu2(u[1], u[2]) + __viaddmax_s16x2_relu(u[0], u[1], u[2]);
  u[1] =
      __dp4a(u[1], u[2], 0u) + static_cast<unsigned>(__dp2a_lo(short2{1, 2}, char4{1, 2, 3, 4}, 5));
  f[2] = static_cast<float>(__nv_fp8_e4m3(f[0])) + static_cast<float>(__nv_fp8_e5m2(f[1]));
  f[3] = tex2D<float>(texture, f[0], f[1]) + tex1Dfetch<float4>(texture, 1).w +
         tex3D<float>(texture, 1, 2, 3);
}

template <class To> __device__ To cast(__half h, __nv_bfloat16 b) {
  return static_cast<To>(h) + static_cast<To>(b);
}
__global__ void casts(float *f, __half *h) {
  f[0] = cast<char>(h[0], __nv_bfloat16(h[1])) + cast<unsigned char>(h[0], __nv_bfloat16('a'));
  f[1] = static_cast<float>(cast<long>(h[0], 1)) + cast<bool>(h[0], true);
  f[2] = static_cast<float>(cast<double>(h[0], 0.5) + cast<unsigned short>(h[0], 2u));
  h[2] = static_cast<__half>(__nv_bfloat16(f[0]));
  atomicMin(f, 1.0f);
}

__global__ void asks(Particle *p, int *value, cudaStream_t stream) {
  cudaGetDevice(value);
  cudaDeviceGetAttribute(value, cudaDevAttrWarpSize, 0);
  cudaMemcpyAsync(p, p + 1, sizeof *p, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpy2DAsync(p, 16, p + 4, 16, 4, 4, cudaMemcpyDeviceToDevice, stream);
  cudaMemsetAsync(p, 0, sizeof *p, stream);
  cudaMemset2DAsync(p, 16, 0, 4, 4, stream);
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(stream, event, 0);
  cudaEventDestroy(event);
  int *own;
  cudaMalloc(&own, 4);
  cudaFree(own);
}

__global__ void meets(Particle *p) {
  constexpr auto scope = cuda::thread_scope_block;
  __shared__ Particle tile[32];
  __shared__ cuda::barrier<scope> loaded;
  __shared__ cuda::pipeline_shared_state<scope, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0)
    init(&loaded, block.size());
  __syncthreads();
  cuda::memcpy_async(&tile[threadIdx.x], p, cuda::aligned_size_t<4>(sizeof *p), loaded);
  cuda::memcpy_async(block, tile, p, sizeof tile, loaded);
  loaded.arrive_and_wait();
  auto token = loaded.arrive();
  while (!loaded.try_wait(std::move(token)))
    ;
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, tile, p, sizeof tile, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  pipe.consumer_release();
  auto own = cuda::make_pipeline();
  cuda::pipeline_consumer_wait_prior<1>(own);
  __pipeline_memcpy_async(tile, p, 16, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
}
