// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: nvcc's built-in atomics, which take an order and a scope. All
// are sequentially consistent and of the whole device here.
#pragma once

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};

enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace relayout::host::detail {

/// The type itself, where a template parameter must not be deduced from the argument.
template <class T> struct AsGiven { using Type = T; };
template <class T> using Given = typename AsGiven<T>::Type;

} // namespace relayout::host::detail

template <class T>
__device__ inline T __nv_atomic_load_n(const T *address, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  relayout::host::detail::spin();
  return __atomic_load_n(address, __ATOMIC_SEQ_CST);
}
template <class T>
__device__ inline void __nv_atomic_load(const T *address, T *value, int,
                                        int = __NV_THREAD_SCOPE_SYSTEM) {
  relayout::host::detail::spin();
  __atomic_load(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
__device__ inline void __nv_atomic_store_n(T *address, relayout::host::detail::Given<T> value, int,
                                           int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
__device__ inline void __nv_atomic_store(T *address, T *value, int,
                                         int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
__device__ inline T __nv_atomic_exchange_n(T *address, relayout::host::detail::Given<T> value, int,
                                           int = __NV_THREAD_SCOPE_SYSTEM) {
  relayout::host::detail::spin();
  return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
__device__ inline void __nv_atomic_exchange(T *address, T *value, T *old, int,
                                            int = __NV_THREAD_SCOPE_SYSTEM) {
  relayout::host::detail::spin();
  __atomic_exchange(address, value, old, __ATOMIC_SEQ_CST);
}
template <class T>
__device__ inline bool
__nv_atomic_compare_exchange_n(T *address, T *expected, relayout::host::detail::Given<T> desired,
                               bool, int, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  relayout::host::detail::spin();
  return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}
template <class T>
__device__ inline bool __nv_atomic_compare_exchange(T *address, T *expected, T *desired, bool, int,
                                                    int, int = __NV_THREAD_SCOPE_SYSTEM) {
  relayout::host::detail::spin();
  return __atomic_compare_exchange(address, expected, desired, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST);
}

/// Both forms of one: with the old value, and without.
#define RELAYOUT_NV_ATOMIC(name, value)                                                            \
  template <class T>                                                                               \
  __device__ inline T __nv_atomic_fetch_##name(                                                    \
      T *address, relayout::host::detail::Given<T> operand, int, int = __NV_THREAD_SCOPE_SYSTEM) { \
    T old;                                                                                         \
    __atomic_load(address, &old, __ATOMIC_SEQ_CST);                                                \
    for (;;) {                                                                                     \
      T fresh = value;                                                                             \
      if (__atomic_compare_exchange(address, &old, &fresh, false, __ATOMIC_SEQ_CST,                \
                                    __ATOMIC_SEQ_CST))                                             \
        return old;                                                                                \
    }                                                                                              \
  }                                                                                                \
  template <class T>                                                                               \
  __device__ inline void __nv_atomic_##name(T *address, relayout::host::detail::Given<T> operand,  \
                                            int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {     \
    __nv_atomic_fetch_##name(address, operand, order, scope);                                      \
  }

RELAYOUT_NV_ATOMIC(add, old + operand)
RELAYOUT_NV_ATOMIC(sub, old - operand)
RELAYOUT_NV_ATOMIC(and, old &operand)
RELAYOUT_NV_ATOMIC(or, old | operand)
RELAYOUT_NV_ATOMIC(xor, old ^ operand)
RELAYOUT_NV_ATOMIC(min, operand < old ? operand : old)
RELAYOUT_NV_ATOMIC(max, old < operand ? operand : old)
#undef RELAYOUT_NV_ATOMIC

__device__ inline void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
