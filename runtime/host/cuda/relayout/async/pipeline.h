// SPDX-License-Identifier: Apache-2.0
// CPU executor's libcu++: pipelines of one thread, in which nothing is left to wait for, and of a
// group, whose stages have a barrier for those who fill and one for those who empty them.
#pragma once

#include "copies.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope S, unsigned char N> struct pipeline_shared_state {
  barrier<S> filled[N], emptied[N];
  unsigned int producers, active;

  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state &) = delete;
  pipeline_shared_state &operator=(const pipeline_shared_state &) = delete;
};

template <thread_scope S> class pipeline {
public:
  __device__ pipeline(barrier<S> *filled, barrier<S> *emptied, unsigned int stages,
                      unsigned int *active)
      : filled_(filled), emptied_(emptied), active_(active), stages_(stages) {}
  __device__ pipeline(pipeline &&other)
      : filled_(other.filled_), emptied_(other.emptied_), active_(other.active_),
        stages_(other.stages_), head_(other.head_), tail_(other.tail_),
        isHeadOdd_(other.isHeadOdd_), isTailOdd_(other.isTailOdd_) {
    other.active_ = nullptr;
  }
  pipeline(const pipeline &) = delete;
  pipeline &operator=(const pipeline &) = delete;
  __device__ ~pipeline() { quit(); }

  /// True in the last thread that leaves.
  __device__ bool quit() {
    if (active_ == nullptr)
      return false;
    unsigned int *const active = active_;
    active_ = nullptr;
    return __atomic_sub_fetch(active, 1u, __ATOMIC_SEQ_CST) == 0;
  }

  /// A stage that nobody has filled yet passes for one that was emptied.
  __device__ void producer_acquire() { emptied_[head_].wait_parity(!isHeadOdd_); }
  __device__ void producer_commit() {
    (void)filled_[head_].arrive();
    advance(head_, isHeadOdd_);
  }
  __device__ void consumer_wait() { filled_[tail_].wait_parity(isTailOdd_); }
  template <class T> __device__ bool consumer_wait_for(const T &) {
    return filled_[tail_].try_wait_parity(isTailOdd_);
  }
  template <class T> __device__ bool consumer_wait_until(const T &) {
    return filled_[tail_].try_wait_parity(isTailOdd_);
  }
  __device__ void consumer_release() {
    (void)emptied_[tail_].arrive();
    advance(tail_, isTailOdd_);
  }

private:
  __device__ void advance(unsigned int &stage, bool &isOdd) const {
    if (++stage == stages_) {
      stage = 0;
      isOdd = !isOdd;
    }
  }

  barrier<S> *filled_, *emptied_;
  unsigned int *active_; ///< null: has left
  unsigned int stages_, head_ = 0, tail_ = 0;
  bool isHeadOdd_ = false, isTailOdd_ = false;
};

template <> class pipeline<thread_scope_thread> {
public:
  pipeline() = default;
  pipeline(pipeline &&) = default;
  pipeline(const pipeline &) = delete;
  pipeline &operator=(const pipeline &) = delete;

  __device__ bool quit() { return true; }
  __device__ void producer_acquire() {}
  __device__ void producer_commit() {}
  __device__ void consumer_wait() {}
  template <class T> __device__ bool consumer_wait_for(const T &) { return true; }
  template <class T> __device__ bool consumer_wait_until(const T &) { return true; }
  __device__ void consumer_release() {}
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

} // namespace cuda

namespace relayout::host::detail {

/// Called by all threads of the group.
template <class G, cuda::thread_scope S, unsigned char N>
__device__ inline cuda::pipeline<S> makePipeline(const G &group,
                                                 cuda::pipeline_shared_state<S, N> *state,
                                                 size_t producers, size_t consumers) {
  if (group.thread_rank() == 0) {
    state->active = static_cast<unsigned int>(group.size());
    for (unsigned int stage = 0; stage < N; ++stage) {
      init(&state->filled[stage], static_cast<ptrdiff_t>(producers));
      init(&state->emptied[stage], static_cast<ptrdiff_t>(consumers));
    }
  }
  group.sync();
  return {state->filled, state->emptied, N, &state->active};
}

} // namespace relayout::host::detail

namespace cuda {

/// Every thread fills and empties.
template <class G, thread_scope S, unsigned char N>
__device__ inline pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state) {
  return relayout::host::detail::makePipeline(group, state, group.size(), group.size());
}
/// The first threads fill, the others empty.
template <class G, thread_scope S, unsigned char N>
__device__ inline pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state,
                                            size_t producers) {
  return relayout::host::detail::makePipeline(group, state, producers, group.size() - producers);
}
template <class G, thread_scope S, unsigned char N>
__device__ inline pipeline<S> make_pipeline(const G &group, pipeline_shared_state<S, N> *state,
                                            pipeline_role role) {
  if (group.thread_rank() == 0)
    state->producers = 0;
  group.sync();
  if (role == pipeline_role::producer)
    __atomic_add_fetch(&state->producers, 1u, __ATOMIC_SEQ_CST);
  group.sync();
  return make_pipeline(group, state, size_t(state->producers));
}

template <unsigned char N>
__device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &) {}
template <thread_scope S, class F>
__device__ inline void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<S, F> &) {}

template <class T, class U, thread_scope S>
__device__ inline async_contract_fulfillment memcpy_async(T *to, const T *from, const U &bytes,
                                                          pipeline<S> &) {
  return relayout::host::detail::copyNow(to, from, bytes);
}
template <class U, thread_scope S>
__device__ inline async_contract_fulfillment memcpy_async(void *to, const void *from,
                                                          const U &bytes, pipeline<S> &) {
  return relayout::host::detail::copyNow(to, from, bytes);
}
template <class G, class T, class U, thread_scope S>
__device__ inline async_contract_fulfillment memcpy_async(const G &group, T *to, const T *from,
                                                          const U &bytes, pipeline<S> &) {
  return relayout::host::detail::copyNow(to, from, bytes, group.thread_rank(), group.size());
}
template <class G, class U, thread_scope S>
__device__ inline async_contract_fulfillment
memcpy_async(const G &group, void *to, const void *from, const U &bytes, pipeline<S> &) {
  return relayout::host::detail::copyNow(to, from, bytes, group.thread_rank(), group.size());
}

} // namespace cuda
