// SPDX-License-Identifier: Apache-2.0
// Thrust on the CPU executor: its C++ back end, with device vectors in the executor's device
// memory. This header stands before Thrust's own of the same name; all else is Thrust's.
#pragma once

#include <cuda_runtime_api.h>

// As Thrust's CUDA back end does, on which programs rely; and <thrust/system_error.h> below.
#include <iostream>
#include <new>

#include <thrust/detail/config.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>

#include <thrust/system/cpp/pointer.h>
#include <thrust/system_error.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cpp {
namespace detail {

/// Allocations of the executor; managed ones may be used on both sides.
template <bool isManaged> class ExecutorMemory final : public thrust::mr::memory_resource<> {
public:
  void *do_allocate(std::size_t bytes, std::size_t) override {
    void *memory = nullptr;
    const cudaError_t status =
        isManaged ? cudaMallocManaged(&memory, bytes) : cudaMalloc(&memory, bytes);
    if (status != cudaSuccess)
      throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void *memory, std::size_t, std::size_t) override { cudaFree(memory); }
};

} // namespace detail

using memory_resource =
    thrust::mr::fancy_pointer_resource<detail::ExecutorMemory<false>, thrust::cpp::pointer<void>>;
using universal_memory_resource =
    thrust::mr::fancy_pointer_resource<detail::ExecutorMemory<true>,
                                       thrust::cpp::universal_pointer<void>>;
using universal_host_pinned_memory_resource = universal_memory_resource;

} // namespace cpp
} // namespace system
THRUST_NAMESPACE_END
