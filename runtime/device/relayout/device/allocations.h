// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what an instrumented program says of the arrays that it allocates. For nvcc, and for
// host compilers.
#pragma once

#include "relayout/device/module.h"

#include <initializer_list>

#ifdef __CUDACC__
#define RELAYOUT_BOTH_SIDES __host__ __device__
#else
#define RELAYOUT_BOTH_SIDES
#endif

namespace relayout::probe {

// Linking keeps one of the functions of each name, unless they are of one translation unit alone.
namespace {

/// Put before an allocation, as in `(named("bodies"), cudaMalloc(&bodies, n))`.
RELAYOUT_BOTH_SIDES inline void named(const char *name) {
#ifndef __CUDA_ARCH__
  relayoutGpuName(name);
#endif
}

using NotedExtents = std::initializer_list<device::NotedExtent>;

/// Put before an allocation, as the above: what the program knows of the array's extents.
/// \param factors  those that lead to factors of the array's subscripts, the nearest first
RELAYOUT_BOTH_SIDES inline void noteExtents(NotedExtents factors, NotedExtents others) {
#ifndef __CUDA_ARCH__
  relayoutGpuExtents(factors.begin(), factors.size(), others.begin(), others.size());
#endif
}

/// As long as this lives, in the call of a function that allocates: what the caller knows.
class CallersExtents {
public:
  RELAYOUT_BOTH_SIDES explicit CallersExtents(NotedExtents factors) {
#ifndef __CUDA_ARCH__
    relayoutGpuCallBegins(factors.begin(), factors.size());
#endif
  }
  RELAYOUT_BOTH_SIDES ~CallersExtents() {
#ifndef __CUDA_ARCH__
    relayoutGpuCallEnds();
#endif
  }
  CallersExtents(const CallersExtents &) = delete;
  CallersExtents &operator=(const CallersExtents &) = delete;
};

} // namespace

} // namespace relayout::probe

#undef RELAYOUT_BOTH_SIDES
