// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime calls of the executor: memory, copies, errors, launch checks.
#include <cuda.h>
#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

using relayout::host::launch;
using relayout::host::Threads;

void nothing() {}
void setOne(int *p) { *p = 1; }

TEST(LaunchShape, ErrorsAreWhatGetLastErrorReturns) {
  launch("nothing", Threads::Loop, {1, 1025}, nothing);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  launch("nothing", Threads::Loop, {0, 32}, nothing);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  launch("nothing", Threads::Loop, {1, dim3(2, 2, 65)}, nothing);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  launch("nothing", Threads::Loop, {dim3(1, 65536), 1}, nothing);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  launch("nothing", Threads::Loop, {1, 1024}, nothing);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(LaunchShape, DynamicSharedMemoryAbove48KiBMustBeAskedFor) {
  launch("setOne", Threads::Loop, {1, 1, 60000}, setOne, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(setOne, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(setOne, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000),
            cudaSuccess);
  cudaGetLastError();
  int *p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, sizeof(int)), cudaSuccess);
  launch("setOne", Threads::Loop, {1, 1, 60000}, setOne, p);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  int one = 0;
  EXPECT_EQ(cudaMemcpy(&one, p, sizeof one, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(one, 1);
  cudaFree(p);
}

/// Threads of blocks that stand side by side may run row by row through all of them.
void countThread(int *counts) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  ++counts[block * blockDim.x * blockDim.y * blockDim.z + thread];
}

TEST(LaunchShape, EachThreadOfEachBlockRunsOnce) {
  for (const dim3 &grid : {dim3(1), dim3(3, 5, 2), dim3(70, 3, 2), dim3(130), dim3(1, 67)}) {
    const dim3 block(4, 3, 2);
    const std::size_t threads = std::size_t{24} * grid.x * grid.y * grid.z;
    int *counts = nullptr;
    ASSERT_EQ(cudaMalloc(&counts, threads * sizeof(int)), cudaSuccess);
    cudaMemset(counts, 0, threads * sizeof(int));
    launch("countThread", Threads::Loop, {grid, block}, countThread, counts);
    EXPECT_EQ(std::count(counts, counts + threads, 1), threads) << grid.x << " " << grid.y;
    cudaFree(counts);
  }
}

TEST(Memory, AllocationsAreAlignedAndDistinct) {
  char *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMalloc(&a, 1), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&b), 1000), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 256, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % 256, 0u);
  EXPECT_NE(a, b);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(a), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&a, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  cudaGetLastError();
}

TEST(Memory, FreedMemoryIsUsedAgain) {
  std::size_t before = 0, after = 0, total = 0;
  cudaMemGetInfo(&before, &total);
  for (int i = 0; i < 1000; ++i) {
    double *p = nullptr;
    ASSERT_EQ(cudaMalloc(&p, 64u << 20), cudaSuccess);
    p[0] = p[(8u << 20) - 1] = 1;
    ASSERT_EQ(cudaFree(p), cudaSuccess);
  }
  cudaMemGetInfo(&after, &total);
  EXPECT_EQ(before, after);
  EXPECT_LE(before, total);
}

TEST(Copies, OutOfBoundsAndWrongDirectionsAreRefused) {
  int *p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 40), cudaSuccess);
  int host[20] = {};
  EXPECT_EQ(cudaMemcpy(p, host, 40, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(p, host, 44, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, p + 1, 40, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(p, host, 40, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, p, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, p, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, p, 4, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemset(p, 1, 41), cudaErrorInvalidValue);
  // The address of a pointer is no device memory; device memory may be called the host's.
  int *const before = p;
  EXPECT_EQ(cudaMemcpy(static_cast<void *>(&p), host, sizeof p, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(p, before);
  EXPECT_EQ(cudaMemcpy(p, host, 40, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(p, p + 5, 20, cudaMemcpyHostToDevice), cudaSuccess);
  cudaGetLastError();
  cudaFree(p);
}

TEST(Memory, OnlyWhatAKernelCouldWriteIsSet) {
  int *p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 40), cudaSuccess);
  int *const before = p;
  EXPECT_EQ(cudaMemset(static_cast<void *>(&p), 0, sizeof p), cudaErrorInvalidValue);
  EXPECT_EQ(p, before);
  static int variable = 1; // a __managed__ one is static here
  EXPECT_EQ(cudaMemset(&variable, 0, sizeof variable), cudaSuccess);
  EXPECT_EQ(variable, 0);
  cudaGetLastError();
  cudaFree(p);
}

TEST(Streams, AttributesHaveNoEffect) {
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  EXPECT_EQ(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &value),
            cudaSuccess);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1024), cudaSuccess);
  EXPECT_EQ(cudaCtxResetPersistingL2Cache(), cudaSuccess);
  int bytes = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxPersistingL2CacheSize, 0), cudaSuccess);
  EXPECT_GT(bytes, 0);
}

TEST(Copies, RowsOfAPitchedArray) {
  char *p = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&p, &pitch, 100, 4), cudaSuccess);
  EXPECT_GE(pitch, 100u);
  std::vector<char> from(400), to(400);
  std::iota(from.begin(), from.end(), 0);
  EXPECT_EQ(cudaMemcpy2D(p, pitch, from.data(), 100, 100, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(p[pitch], from[100]);
  EXPECT_EQ(cudaMemcpy2D(to.data(), 100, p, pitch, 100, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(from, to);
  cudaFree(p);
}

TEST(Copies, RowsAreSetOnAStream) {
  char *p = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&p, &pitch, 100, 3), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(p, pitch, 1, 100, 3), cudaSuccess);
  EXPECT_EQ(cudaMemset2DAsync(p, pitch, 7, 100, 2, nullptr), cudaSuccess);
  EXPECT_EQ(p[99], 7);
  EXPECT_EQ(p[pitch], 7);
  EXPECT_EQ(p[2 * pitch], 1);
  EXPECT_NE(cudaMemset2DAsync(p, pitch, 7, 100, 200000, nullptr), cudaSuccess);
  cudaGetLastError();
  cudaFree(p);
}

__constant__ float coefficients[4];
__device__ int total;

void applyCoefficients(float *p) { p[threadIdx.x] = coefficients[threadIdx.x] * 2; }
void setTotal(int value) { total = value; }

TEST(Symbols, ConstantMemoryReachesKernels) {
  const float values[4] = {1, 2, 3, 4};
  ASSERT_EQ(cudaMemcpyToSymbol(coefficients, values, sizeof values), cudaSuccess);
  const float last = 9;
  ASSERT_EQ(cudaMemcpyToSymbol(coefficients, &last, sizeof last, 3 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(coefficients, values, sizeof values, 4), cudaErrorInvalidValue);
  cudaGetLastError();
  float *p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, sizeof values), cudaSuccess);
  launch("apply", Threads::Loop, {1, 4}, applyCoefficients, p);
  EXPECT_EQ(p[0], 2.0f);
  EXPECT_EQ(p[3], 18.0f);
  cudaFree(p);
}

TEST(Symbols, DeviceVariablesComeBack) {
  launch("setTotal", Threads::Loop, {1, 1}, setTotal, 42);
  int copy = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&copy, total, sizeof copy), cudaSuccess);
  EXPECT_EQ(copy, 42);
  void *address = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&address, total), cudaSuccess);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, address);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  ASSERT_EQ(cudaMemset(address, 0, sizeof(int)), cudaSuccess);
  EXPECT_EQ(total, 0);
}

TEST(Memory, KindsOfPointers) {
  int *device = nullptr, *managed = nullptr, *pinned = nullptr, plain = 0;
  cudaMalloc(&device, 4);
  cudaMallocManaged(&managed, 4);
  cudaMallocHost(&pinned, 4);
  const auto kind = [](const void *p) {
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, p);
    return attributes.type;
  };
  EXPECT_EQ(kind(device), cudaMemoryTypeDevice);
  EXPECT_EQ(kind(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(kind(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(kind(&plain), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  cudaFree(device);
  cudaFree(managed);
}

TEST(Events, MeasureTime) {
  cudaEvent_t start, end;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  cudaEventRecord(start);
  cudaEventRecord(end);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 0.0f);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
}

TEST(Events, AreDestroyedOnce) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(cudaStreamLegacy), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST(Devices, ThereIsOne) {
  int count = 0;
  cudaGetDeviceCount(&count);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidDevice");
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
}

TEST(Devices, TheOneStandsInForThoseThatAreNamed) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(3), cudaSuccess);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("device 2"), std::string::npos) << said;
  EXPECT_EQ(said.find("device 3"), std::string::npos) << "it is told once";
  int device = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 3);
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1000), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  cudaGetLastError();
}

TEST(Memory, VolumesAreCopiedPlaneByPlane) {
  constexpr std::size_t kWidth = 5, kHeight = 4, kDepth = 3;
  std::vector<int> from(kWidth * kHeight * kDepth), to(from.size(), -1);
  std::iota(from.begin(), from.end(), 0);
  const cudaExtent extent = make_cudaExtent(kWidth * sizeof(int), kHeight, kDepth);
  cudaPitchedPtr device{};
  ASSERT_EQ(cudaMalloc3D(&device, extent), cudaSuccess);
  EXPECT_GE(device.pitch, extent.width);
  EXPECT_EQ(cudaMemset3D(device, 0, extent), cudaSuccess);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(from.data(), extent.width, kWidth, kHeight);
  copy.dstPtr = device;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  // Back without the first plane and the first row of each.
  cudaMemcpy3DParms part{};
  part.srcPtr = device;
  part.srcPos = make_cudaPos(0, 1, 1);
  part.dstPtr = make_cudaPitchedPtr(to.data(), extent.width, kWidth, kHeight);
  part.extent = make_cudaExtent(extent.width, kHeight - 1, kDepth - 1);
  part.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&part), cudaSuccess);
  EXPECT_EQ(to[0], static_cast<int>(kWidth * kHeight + kWidth));
  EXPECT_EQ(to[kWidth * kHeight], static_cast<int>(2 * kWidth * kHeight + kWidth));
  EXPECT_EQ(to[kWidth * (kHeight - 1)], -1);
  EXPECT_EQ(to.back(), -1);
  EXPECT_EQ(cudaFree(device.ptr), cudaSuccess);
}

TEST(Occupancy, BothAnswersHaveToGoSomewhere) {
  int block = 96;
  EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(nullptr, &block, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(block, 96);
}

TEST(Occupancy, SharedMemoryThatGrowsWithTheBlockBoundsIt) {
  int grid = 0, block = 0;
  const auto bytesOf = [](int threads) { return static_cast<std::size_t>(threads) * 400; };
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, nothing, bytesOf),
            cudaSuccess);
  EXPECT_EQ(block, 576); // 225 KiB of 227
  EXPECT_EQ(grid, 132);
}

TEST(Memcpy, LargeArraysOfZerosAreCopiedWhereEitherSideIsNone) {
  constexpr std::size_t kBytes = (std::size_t{64} << 20) + 100;
  std::vector<char> host(kBytes), back(kBytes, 7);
  host[5] = 1;
  host[kBytes - 1] = 2;
  char *device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, kBytes), cudaSuccess);
  device[kBytes / 2] = 3;
  ASSERT_EQ(cudaMemcpy(device, host.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(device[kBytes / 2], 0);
  ASSERT_EQ(cudaMemcpy(back.data(), device, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(back == host);
  cudaFree(device);
}

TEST(DriverCalls, SayWhatTheRuntimeSays) {
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  const char *name = nullptr, *text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, cudaGetErrorString(cudaErrorIllegalAddress));
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
  int count = 0, wanted = 0, value = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  CUdevice device = 7;
  EXPECT_EQ(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
  cudaDeviceGetAttribute(&wanted, cudaDevAttrMultiProcessorCount, 0);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
            CUDA_SUCCESS);
  EXPECT_EQ(value, wanted);
  char shortName[4];
  EXPECT_EQ(cuDeviceGetName(shortName, sizeof shortName, device), CUDA_SUCCESS);
  EXPECT_EQ(std::strlen(shortName), 3u);
  size_t runtimeFree = 0, runtimeTotal = 0, freeBytes = 0, totalBytes = 0;
  cudaMemGetInfo(&runtimeFree, &runtimeTotal);
  EXPECT_EQ(cuMemGetInfo(&freeBytes, &totalBytes), CUDA_SUCCESS);
  EXPECT_EQ(freeBytes, runtimeFree);
  EXPECT_EQ(totalBytes, runtimeTotal);
  CUcontext made = nullptr, current = nullptr;
  EXPECT_EQ(cuCtxCreate(&made, 0, device), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(made, current);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy(made), CUDA_SUCCESS);
}

} // namespace
