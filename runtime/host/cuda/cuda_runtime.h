// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the front door. Clang parses programs against it as CUDA, and
// lowered programs are compiled against it as plain C++ (docs/executor.md). Headers that have what
// NVIDIA's have define the macros that guard those: by these, programs ask what was included.
#pragma once
#define __CUDA_RUNTIME_H__

#include "relayout/host/macros_aside.h"

#include "host_defines.h"

#include "c_headers.h"

#include "cuda_runtime_api.h"
#include "library_types.h"
#ifdef __cplusplus
// CUDA's header brings it, and programs rely on that.
#if __cplusplus >= 201103L
#include <utility>
#endif
#include "device_launch_parameters.h"
#include "vector_functions.h"

// Host C++ has its own min, max and abs.
#ifdef __CUDACC__
#include "device_atomic_functions.h"
#include "device_functions.h"
#include "device_intrinsics.h"
#include "math_functions.h"
#include "simd_functions.h"
#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"
#endif

#ifdef __CUDA__
// Clang resolves <<<...>>> to these.
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t sharedBytes = 0,
                                         cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes = 0,
                                                void *stream = 0);
// In device code, from Clang 22 on; no program that uses these is linked.
extern "C" __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
extern "C" __device__ cudaError_t cudaLaunchDevice(void *kernel, void *arguments, dim3 grid,
                                                   dim3 block, unsigned sharedBytes,
                                                   cudaStream_t stream);
#else
#include "relayout/host/launch.h"
#include "relayout/host/probe.h"
#ifdef __CUDACC__
#include "relayout/host/ptx.h"
#endif
#endif
#endif // __cplusplus

#include "relayout/host/macros_back.h"
