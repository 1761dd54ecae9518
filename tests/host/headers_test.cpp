// SPDX-License-Identifier: Apache-2.0
// The CUDA headers as lowered programs see them: types, math and intrinsics.
#include <cublas_v2.h>
#include <cuda_occupancy.h>
#include <cuda_runtime.h>
#include <curand.h>
#include <cusparse.h>
#include <driver_functions.h>

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

namespace {

#define EXPECT_LAYOUT(type, bytes, alignment)                                                      \
  static_assert(sizeof(type) == bytes && alignof(type) == alignment)
EXPECT_LAYOUT(char1, 1, 1);
EXPECT_LAYOUT(char2, 2, 2);
EXPECT_LAYOUT(char3, 3, 1);
EXPECT_LAYOUT(uchar4, 4, 4);
EXPECT_LAYOUT(short2, 4, 4);
EXPECT_LAYOUT(ushort3, 6, 2);
EXPECT_LAYOUT(short4, 8, 8);
EXPECT_LAYOUT(int1, 4, 4);
EXPECT_LAYOUT(int2, 8, 8);
EXPECT_LAYOUT(uint3, 12, 4);
EXPECT_LAYOUT(int4, 16, 16);
EXPECT_LAYOUT(long1, 8, 8);
EXPECT_LAYOUT(ulong2, 16, 16);
EXPECT_LAYOUT(long3, 24, 8);
EXPECT_LAYOUT(longlong4, 32, 16);
EXPECT_LAYOUT(float2, 8, 8);
EXPECT_LAYOUT(float3, 12, 4);
EXPECT_LAYOUT(float4, 16, 16);
EXPECT_LAYOUT(double1, 8, 8);
EXPECT_LAYOUT(double2, 16, 16);
EXPECT_LAYOUT(double3, 24, 8);
EXPECT_LAYOUT(double4, 32, 16);
EXPECT_LAYOUT(double4_16a, 32, 16);
EXPECT_LAYOUT(double4_32a, 32, 32);
EXPECT_LAYOUT(ulonglong4_32a, 32, 32);
EXPECT_LAYOUT(long4_16a, 32, 16);
EXPECT_LAYOUT(dim3, 12, 4);
static_assert(std::is_trivial_v<float4> && std::is_trivial_v<uint3>);

// helper_cuda.h of NVIDIA's samples, which many programs include, asks by these what it may name.
#if !defined(__CUDA_RUNTIME_H__) || !defined(__DRIVER_TYPES_H__) || !defined(CUBLAS_API_H_) ||     \
    !defined(CURAND_H_) || !defined(CUSPARSEAPI)
#error "a header does not define the macro by which programs know it"
#endif

TEST(Headers, MakersAndDim3) {
  const float4 v = make_float4(1, 2, 3, 4);
  EXPECT_EQ(v.w, 4.0f);
  EXPECT_EQ(make_uchar2(1, 255).y, 255);
  const dim3 grid(7, 2);
  EXPECT_EQ(grid.z, 1u);
  const uint3 same = grid;
  EXPECT_EQ(same.y, 2u);
}

TEST(Headers, MinAndMaxOfMixedTypes) {
  static_assert(std::is_same_v<decltype(min(1, 2u)), unsigned>);
  static_assert(std::is_same_v<decltype(max(1.0f, 2.0)), double>);
  static_assert(std::is_same_v<decltype(min(1.0f, 2.0f)), float>);
  EXPECT_EQ(min(3, 4), 3);
  EXPECT_EQ(max(-1, 0u), 0xffffffffu);
  EXPECT_EQ(max(3ll, 4ll), 4);
  EXPECT_EQ(max(std::numeric_limits<float>::quiet_NaN(), 2.0f), 2.0f);
}

TEST(Headers, Math) {
  EXPECT_FLOAT_EQ(rsqrtf(4.0f), 0.5f);
  EXPECT_DOUBLE_EQ(rsqrt(16.0), 0.25);
  EXPECT_EQ(sinpi(1.0), 0.0);
  EXPECT_EQ(sinpi(0.5), 1.0);
  EXPECT_EQ(sinpi(-1.5), 1.0);
  EXPECT_EQ(cospif(0.5f), 0.0f);
  EXPECT_EQ(cospi(3.0), -1.0);
  EXPECT_FLOAT_EQ(norm3df(2, 3, 6), 7.0f);
  EXPECT_DOUBLE_EQ(rnorm3d(2, 3, 6), 1.0 / 7);
  EXPECT_DOUBLE_EQ(normcdf(0.0), 0.5);
  EXPECT_DOUBLE_EQ(erfinv(std::erf(0.3)), 0.3);
  EXPECT_DOUBLE_EQ(erfinv(1e-12), 1e-12 / 1.12837916709551257390);
  EXPECT_NEAR(erfinv(std::erf(-2.5)), -2.5, 1e-13);
  EXPECT_DOUBLE_EQ(erfcinv(std::erfc(5.0)), 5.0);
  EXPECT_EQ(erfcinv(0.0), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(normcdfinv(0.975), 1.9599639845400545, 1e-14);
  EXPECT_FLOAT_EQ(normcdfinvf(1e-6f), -4.7534243f);
  EXPECT_NEAR(erfcx(1.0), 0.42758357615580700, 1e-15);
  EXPECT_NEAR(erfcx(10.0), 0.056140992743822585, 1e-16);
  EXPECT_NEAR(cyl_bessel_i0(2.0), 2.2795853023360673, 1e-14);
  EXPECT_NEAR(cyl_bessel_i1(-2.0), -1.5906368546373291, 1e-14);
  const double lengths[] = {2, 3, 6};
  EXPECT_DOUBLE_EQ(norm(3, lengths), 7.0);
  EXPECT_EQ(__saturatef(2.0f), 1.0f);
  EXPECT_EQ(__saturatef(std::numeric_limits<float>::quiet_NaN()), 0.0f);
  float sine = 0, cosine = 0;
  sincosf(0.0f, &sine, &cosine);
  EXPECT_EQ(sine, 0.0f);
  EXPECT_EQ(cosine, 1.0f);
}

TEST(Headers, BitIntrinsics) {
  EXPECT_EQ(__fns(0b1011u, 0, 2), 1u);
  EXPECT_EQ(__fns(0b1011u, 0, 4), ~0u);
  EXPECT_EQ(__fns(0b1011u, 3, -2), 1u);
  EXPECT_EQ(__popc(0xf0f0u), 8);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clzll(0), 64);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__brev(0x12345678u), 0x1e6a2c48u);
  EXPECT_EQ(__brevll(1ull), 1ull << 63);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7531u), 0x77553311u);
  EXPECT_EQ(__byte_perm(0x80u, 0u, 0x8u), 0x808080ffu);
  EXPECT_EQ(__funnelshift_l(0x80000000u, 1u, 1), 3u);
  EXPECT_EQ(__funnelshift_r(0u, 1u, 1), 0x80000000u);
  EXPECT_EQ(__umulhi(0x80000000u, 4u), 2u);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
  EXPECT_EQ(__mul24(0xffffff, 2), -2);
  EXPECT_EQ(__hadd(3, 4), 3);
  EXPECT_EQ(__sad(-3, 4, 1), 8u);
}

TEST(Headers, ConversionsSaturateAndRoundAsNamed) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(3.5f), 4);
  EXPECT_EQ(__float2int_rz(-2.7f), -2);
  EXPECT_EQ(__float2int_ru(2.1f), 3);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__float2int_rz(1e20f), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2int_rz(-1e20f), std::numeric_limits<int>::min());
  EXPECT_EQ(__float2int_rz(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(__float2uint_rz(-5.0f), 0u);
  EXPECT_EQ(__float2uint_rz(4e9f), 4000000000u);
  EXPECT_EQ(__double2ll_rn(-0.5), 0);
  EXPECT_EQ(__double2ull_rz(1e30), ~0ull);
  EXPECT_EQ(__float_as_int(1.0f), 0x3f800000);
  EXPECT_EQ(__int_as_float(0x40000000), 2.0f);
  EXPECT_EQ(__hiloint2double(__double2hiint(3.25), __double2loint(3.25)), 3.25);
}

// The numbers are those of CUDA 13's header.
TEST(Headers, OccupancyFollowsFromProperties) {
  cudaDeviceProp device;
  ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
  device.major = 9;
  device.minor = 0;
  device.sharedMemPerMultiprocessor = 233472;
  device.sharedMemPerBlockOptin = 232448;
  device.reservedSharedMemPerBlock = 1024;
  const cudaOccDeviceProp properties = device;
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = 100;
  kernel.sharedSizeBytes = 1000;
  const cudaOccDeviceState state;
  cudaOccResult result;
  ASSERT_EQ(
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &kernel, &state, 200, 512),
      CUDA_OCC_SUCCESS);
  EXPECT_EQ(result.activeBlocksPerMultiprocessor, 2);
  EXPECT_EQ(result.limitingFactors, OCC_LIMIT_REGISTERS);
  EXPECT_EQ(result.blockLimitRegs, 2);
  EXPECT_EQ(result.blockLimitSharedMem, 91);
  EXPECT_EQ(result.blockLimitWarps, 9);
  kernel.numRegs = 32;
  int grid = 0, block = 0;
  ASSERT_EQ(cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &properties, &kernel, &state),
            CUDA_OCC_SUCCESS);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 2 * device.multiProcessorCount);
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &kernel, &state, 0, 0),
            CUDA_OCC_ERROR_INVALID_INPUT);
}

TEST(Headers, NoHandleOfGraphicsIsValid) {
  cudaGraphicsResource_t resource = nullptr;
  void *pointer = nullptr;
  size_t bytes = 0;
  EXPECT_EQ(cudaGraphicsMapResources(1, &resource), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGraphicsResourceGetMappedPointer(&pointer, &bytes, resource),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGraphicsUnmapResources(1, &resource), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGraphicsUnregisterResource(resource), cudaErrorInvalidResourceHandle);
}

} // namespace
