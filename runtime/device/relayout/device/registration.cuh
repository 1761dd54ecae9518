// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the object through which an instrumented translation unit hands over its site table
// and the address of its Control.
#pragma once

#include "relayout/device/allocations.h"
#include "relayout/device/module.h"

#include <cuda_runtime.h>
#include <initializer_list>
#include <type_traits>

namespace relayout::probe {

namespace {

namespace detail {

inline unsigned long long addressOf(const void *symbol) {
  void *address = nullptr;
  if (cudaGetSymbolAddress(&address, symbol) != cudaSuccess) {
    cudaGetLastError(); // not the program's error
    return 0;
  }
  return reinterpret_cast<unsigned long long>(address);
}

inline unsigned long long controlAddress() { return addressOf(&control); }

inline const void *handleOf(const void *kernel) {
#if CUDART_VERSION >= 13000
  cudaKernel_t handle = nullptr;
  if (cudaGetKernel(&handle, kernel) == cudaSuccess)
    return handle;
  cudaGetLastError(); // not the program's error
#endif
  return nullptr;
}

/// Cluster sizes that the program sets at run time are the kernel's alone.
inline bool haveSameClusters(const cudaFuncAttributes &a, const cudaFuncAttributes &b) {
#if CUDART_VERSION >= 12000
  return a.requiredClusterWidth == b.requiredClusterWidth &&
         a.requiredClusterHeight == b.requiredClusterHeight &&
         a.requiredClusterDepth == b.requiredClusterDepth;
#else
  return sizeof(a) == sizeof(b);
#endif
}

inline bool takeLimits(const device::Twin &twin) {
  cudaFuncAttributes of{}, own{};
  const auto take = [&twin](cudaFuncAttribute limit, int program, int now) {
    return program == now || cudaFuncSetAttribute(twin.twin, limit, program) == cudaSuccess;
  };
  if (cudaFuncGetAttributes(&of, twin.kernel) == cudaSuccess &&
      cudaFuncGetAttributes(&own, twin.twin) == cudaSuccess &&
      take(cudaFuncAttributeMaxDynamicSharedMemorySize, of.maxDynamicSharedSizeBytes,
           own.maxDynamicSharedSizeBytes) &&
      take(cudaFuncAttributePreferredSharedMemoryCarveout, of.preferredShmemCarveout,
           own.preferredShmemCarveout))
    return own.maxThreadsPerBlock >= of.maxThreadsPerBlock &&
           own.sharedSizeBytes <= of.sharedSizeBytes && haveSameClusters(of, own);
  cudaGetLastError(); // not the program's error
  return false;
}

} // namespace detail

/// A row for the Registration. The twin's type tells overloads of the kernel apart.
template <class Kernel> device::Twin twin(std::enable_if_t<true, Kernel> *of, Kernel *twin) {
  return {reinterpret_cast<const void *>(of), reinterpret_cast<const void *>(twin)};
}

/// One static object a translation unit.
struct Registration {
  Registration(const char *siteTableJson, std::initializer_list<device::SharedCount> sharedCounts,
               std::initializer_list<device::StaticArray> staticArrays,
               std::initializer_list<device::Twin> twins) {
    static device::Module module{siteTableJson,        sharedCounts.begin(),    sharedCounts.size(),
                                 staticArrays.begin(), staticArrays.size(),     twins.begin(),
                                 twins.size(),         &detail::controlAddress, &detail::addressOf,
                                 &detail::handleOf,    &detail::takeLimits};
    relayoutGpuRegister(&module);
  }
};

} // namespace

} // namespace relayout::probe
