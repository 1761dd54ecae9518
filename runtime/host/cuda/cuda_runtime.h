#pragma once
// placeholder
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#pragma clang force_cuda_host_device begin
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#pragma clang force_cuda_host_device end
#include <cmath>
#include <cstdlib>
struct uint3 {unsigned x,y,z;};
struct dim3 {unsigned x,y,z; __host__ __device__ constexpr dim3(unsigned a=1,unsigned b=1,unsigned c=1):x(a),y(b),z(c){} };
extern const __device__ uint3 threadIdx; extern const __device__ uint3 blockIdx; extern const __device__ dim3 blockDim;
typedef struct CUstream_st* cudaStream_t; enum cudaError_t {cudaSuccess};
extern "C" cudaError_t cudaConfigureCall(dim3,dim3,size_t=0,cudaStream_t=0);
extern "C" unsigned __cudaPushCallConfiguration(dim3,dim3,size_t=0,void* =0);
__device__ void __syncthreads();
