// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the language's keywords. Parsed as CUDA they are attributes;
// in a lowered program, which is plain C++, they say nothing or where a variable lives.
#pragma once
#define __HOST_DEFINES_H__

// nvcc hands host C++ units to a compiler that does not define these.
#if !defined(__CUDACC__) && !defined(RELAYOUT_HOST_UNIT)
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif

// To libcu++ a lowered program is plain C++, as compilers for the CPU take none of its PTX.
#if !defined(__CUDA__) && __has_include(<cuda/std/__cccl/compiler.h>)
#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#undef __CUDACC__
#undef __NVCC__
#include <cuda/std/__cccl/compiler.h>
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDACC__")
#endif

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#ifdef RELAYOUT_SHARED_BY_NAME // without Clang's check of constructors, which nvcc does not make
#define __shared__ __attribute__((annotate("relayout_shared")))
#else
#define __shared__ __attribute__((shared))
#endif
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device, annotate("managed")))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// Clang knows __noinline__ as a keyword of CUDA.
#else
#define __host__
#define __device__
#define __global__
// A worker thread runs one block at a time, so what is the thread's own is the block's own.
// Programs access it by four words at a time where a GPU's linker happens to place it for that.
#define __shared__ __attribute__((aligned(16))) static thread_local
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
// Empty, because the standard library writes __attribute__((__noinline__)).
#define __noinline__
#endif

// Functions that call each other may all have it, which GCC takes for an error if it is told so.
#define __forceinline__ __inline__
#define __inline_hint__ __inline__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __device_builtin__
#define __cudart_builtin__
// Thrust's algorithms run as C++.
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDA_CB
