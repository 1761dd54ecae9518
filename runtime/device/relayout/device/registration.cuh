// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the object through which an instrumented translation unit hands over its site table
// and the address of its Control.
#pragma once

#include "relayout/device/module.h"

#include <cuda_runtime.h>
#include <initializer_list>

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

} // namespace detail

/// Put before an allocation, as in `(named("bodies"), cudaMalloc(&bodies, n))`.
__host__ __device__ inline void named(const char *name) {
#ifndef __CUDA_ARCH__
  relayoutGpuName(name);
#endif
}

/// One static object a translation unit.
struct Registration {
  Registration(const char *siteTableJson, std::initializer_list<device::SharedCount> sharedCounts,
               std::initializer_list<device::StaticArray> staticArrays = {}) {
    static device::Module module{
        siteTableJson,       sharedCounts.begin(),    sharedCounts.size(), staticArrays.begin(),
        staticArrays.size(), &detail::controlAddress, &detail::addressOf};
    relayoutGpuRegister(&module);
  }
};

} // namespace

} // namespace relayout::probe
