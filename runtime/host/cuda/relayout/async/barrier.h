// SPDX-License-Identifier: Apache-2.0
// CPU executor's libcu++: barriers of any scope. libcu++'s own spin where no other thread of the
// block can run meanwhile.
#pragma once

#include "../../cuda_runtime.h"

#if __has_include(<cuda/atomic>)
#include <cuda/atomic>
#include <cuda/std/chrono>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/utility>
#else
namespace cuda {
enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};
}
#endif

#include <new>
#include <stddef.h>

namespace relayout::host::detail {

struct NoCompletion {
  __host__ __device__ void operator()() const {}
};

/// What a barrier counts, in 64 bits as on a GPU. A phase ends when nobody is pending and all bytes
/// that were announced have come.
struct Phase {
  unsigned long long parity : 1, expected : 21, pending : 21;
  long long bytes : 21;
};

} // namespace relayout::host::detail

namespace cuda {

template <thread_scope S, class F = relayout::host::detail::NoCompletion> class barrier {
public:
  using arrival_token = unsigned long long;

  barrier() = default;
  __host__ __device__ barrier(ptrdiff_t expected, F completion = F())
      : phase_(first(expected)), completion_(completion) {}
  barrier(const barrier &) = delete;
  barrier &operator=(const barrier &) = delete;

  friend __host__ __device__ inline void init(barrier *made, ptrdiff_t expected,
                                              F completion = F()) {
    ::new (static_cast<void *>(made)) barrier(expected, completion);
  }

  [[nodiscard]] __device__ arrival_token arrive(ptrdiff_t count = 1) { return change(count, 0, 0); }
  __device__ void arrive_and_drop() { change(1, 1, 0); }
  __device__ void arrive_and_wait() { wait(arrive()); }

  /// \param token  parity of the phase that is to end
  __device__ void wait(arrival_token &&token) const {
    while (!ended(token))
      relayout::host::detail::pauseThread();
  }
  __device__ void wait_parity(bool parity) const { wait(arrival_token(parity)); }

  // A while, and any time to wait, are one turn of the other threads.
  __device__ bool try_wait(arrival_token &&token) const {
    if (ended(token))
      return true;
    relayout::host::detail::pauseThread();
    return ended(token);
  }
  template <class T> __device__ bool try_wait_for(arrival_token &&token, const T &) const {
    return try_wait(arrival_token(token));
  }
  template <class T> __device__ bool try_wait_until(arrival_token &&token, const T &) const {
    return try_wait(arrival_token(token));
  }
  __device__ bool try_wait_parity(bool parity) const { return try_wait(arrival_token(parity)); }
  template <class T> __device__ bool try_wait_parity_for(bool parity, const T &) const {
    return try_wait_parity(parity);
  }
  template <class T> __device__ bool try_wait_parity_until(bool parity, const T &) const {
    return try_wait_parity(parity);
  }

  __host__ __device__ static constexpr ptrdiff_t max() { return (1 << 20) - 1; }

  /// \param bytes  announced, or come where negative
  __device__ arrival_token change(ptrdiff_t arrived, ptrdiff_t dropped, ptrdiff_t bytes) {
    relayout::host::detail::Phase fresh;
    const relayout::host::detail::Phase old = relayout::host::detail::update<unsigned long long>(
        &phase_, [&](relayout::host::detail::Phase phase) {
          phase.pending -= static_cast<unsigned long long>(arrived);
          phase.expected -= static_cast<unsigned long long>(dropped);
          phase.bytes += bytes;
          return fresh = phase;
        });
    if (fresh.pending == 0 && fresh.bytes == 0) {
      completion_();
      relayout::host::detail::update<unsigned long long>(&phase_,
                                                         [](relayout::host::detail::Phase phase) {
                                                           phase.parity ^= 1;
                                                           phase.pending = phase.expected;
                                                           return phase;
                                                         });
    }
    return old.parity;
  }

private:
  __host__ __device__ static relayout::host::detail::Phase first(ptrdiff_t expected) {
    const auto threads = static_cast<unsigned long long>(expected);
    return {0, threads, threads, 0};
  }
  __device__ bool ended(arrival_token token) const {
    relayout::host::detail::Phase now;
    __atomic_load(&phase_, &now, __ATOMIC_SEQ_CST);
    return now.parity != token;
  }

  relayout::host::detail::Phase phase_;
  [[no_unique_address]] F completion_;
};

} // namespace cuda
