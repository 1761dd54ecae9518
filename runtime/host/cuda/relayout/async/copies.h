// SPDX-License-Identifier: Apache-2.0
// CPU executor's libcu++: copies that a barrier or a pipeline waits for.
#pragma once

#include "barrier.h"

namespace cuda {

/// Bytes that are a multiple of the alignment of both sides.
template <size_t N> struct aligned_size_t {
  static constexpr size_t align = N;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

enum class async_contract_fulfillment { none, async };

} // namespace cuda

namespace relayout::host::detail {

/// By one thread, or the part that this thread of the group has.
__device__ inline cuda::async_contract_fulfillment copyNow(void *to, const void *from, size_t bytes,
                                                           size_t rank = 0, size_t threads = 1) {
  const size_t share = (bytes / threads + 15) / 16 * 16;
  const size_t first = rank * share < bytes ? rank * share : bytes;
  const size_t rest = bytes - first;
  __builtin_memcpy(static_cast<char *>(to) + first, static_cast<const char *>(from) + first,
                   rest < share || rank + 1 == threads ? rest : share);
  return cuda::async_contract_fulfillment::none;
}

} // namespace relayout::host::detail

namespace cuda {

/// \tparam U  size_t, or an aligned_size_t
template <class T, class U, thread_scope S, class F>
__device__ inline async_contract_fulfillment memcpy_async(T *to, const T *from, const U &bytes,
                                                          barrier<S, F> &) {
  return relayout::host::detail::copyNow(to, from, bytes);
}
template <class U, thread_scope S, class F>
__device__ inline async_contract_fulfillment memcpy_async(void *to, const void *from,
                                                          const U &bytes, barrier<S, F> &) {
  return relayout::host::detail::copyNow(to, from, bytes);
}
template <class G, class T, class U, thread_scope S, class F>
__device__ inline async_contract_fulfillment memcpy_async(const G &group, T *to, const T *from,
                                                          const U &bytes, barrier<S, F> &) {
  return relayout::host::detail::copyNow(to, from, bytes, group.thread_rank(), group.size());
}
template <class G, class U, thread_scope S, class F>
__device__ inline async_contract_fulfillment
memcpy_async(const G &group, void *to, const void *from, const U &bytes, barrier<S, F> &) {
  return relayout::host::detail::copyNow(to, from, bytes, group.thread_rank(), group.size());
}

namespace device {

template <class T, size_t N, class F>
__device__ inline async_contract_fulfillment
memcpy_async_tx(T *to, const T *from, aligned_size_t<N> bytes, barrier<thread_scope_block, F> &at) {
  relayout::host::detail::copyNow(to, from, bytes);
  at.change(0, 0, -static_cast<ptrdiff_t>(bytes.value));
  return async_contract_fulfillment::async;
}
template <class F>
__device__ inline void barrier_expect_tx(barrier<thread_scope_block, F> &at, ptrdiff_t bytes) {
  at.change(0, 0, bytes);
}
template <class F>
[[nodiscard]] __device__ inline auto barrier_arrive_tx(barrier<thread_scope_block, F> &at,
                                                       ptrdiff_t count, ptrdiff_t bytes) {
  return at.change(count, 0, bytes);
}

} // namespace device
} // namespace cuda
