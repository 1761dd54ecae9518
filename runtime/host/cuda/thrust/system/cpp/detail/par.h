// SPDX-License-Identifier: Apache-2.0
// Thrust on the CPU executor: the policy of its C++ back end takes a stream, as that of CUDA's
// does, and stands for it. This header stands before Thrust's own of the same name.
#pragma once

#include <cuda_runtime_api.h>

#include <thrust/detail/config.h>

#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/system/cpp/detail/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cpp {
namespace detail {

struct par_t : execution_policy<par_t>,
               thrust::detail::allocator_aware_execution_policy<execution_policy> {
  __host__ __device__ constexpr par_t() : execution_policy<par_t>() {}
  /// What the executor launched before is done, and so is an algorithm when it returns.
  __host__ __device__ par_t on(cudaStream_t) const { return par_t(); }
};

} // namespace detail

static constexpr detail::par_t par;

} // namespace cpp
} // namespace system

namespace cpp {
using thrust::system::cpp::par;
} // namespace cpp

namespace cuda {
using thrust::system::cpp::par;
static constexpr thrust::system::cpp::detail::par_t par_nosync;
} // namespace cuda
THRUST_NAMESPACE_END

// As Thrust's CUDA back end does with every algorithm; programs rely on it.
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
