// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: atomics. Blocks run on several cores, so they are real ones.
#pragma once
#define __DEVICE_ATOMIC_FUNCTIONS_H__

#include "host_defines.h"

#include <type_traits>

namespace relayout::host::detail {

/// Lets other threads of the block run now and then, so that a thread that spins on a lock held
/// by one of them does not spin for ever.
__device__ void spin();

/// Fetches and changes in one step. One that leaves the value as it is may be a thread that polls.
#define RELAYOUT_FETCH(function, name, unchanging)                                                 \
  template <class T> __device__ inline T function(T *address, T value) {                           \
    if (value == static_cast<T>(unchanging))                                                       \
      spin();                                                                                      \
    return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                                \
  }
RELAYOUT_FETCH(fetchAdd, add, 0)
RELAYOUT_FETCH(fetchSub, sub, 0)
RELAYOUT_FETCH(fetchOr, or, 0)
RELAYOUT_FETCH(fetchXor, xor, 0)
RELAYOUT_FETCH(fetchAnd, and, -1)
#undef RELAYOUT_FETCH

/// Replaces *address by f(old) in one step, whatever the type's size allows; returns old.
template <class Bits, class T, class F> __device__ inline T update(T *address, F f) {
  static_assert(sizeof(Bits) == sizeof(T), "the integer carries the value's bytes");
  Bits *bits = reinterpret_cast<Bits *>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_SEQ_CST);
  for (;;) {
    T old;
    __builtin_memcpy(&old, &seen, sizeof(T));
    const T fresh = f(old);
    Bits wanted;
    __builtin_memcpy(&wanted, &fresh, sizeof(T));
    if (__atomic_compare_exchange_n(bits, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return old;
  }
}

} // namespace relayout::host::detail

// Each atomic in its three scopes: a block's threads share a core, so all are device-wide.
#define RELAYOUT_ATOMIC(name, type, body)                                                          \
  __device__ inline type name(type *address, type value)                                           \
      body __device__ inline type name##_block(type *address, type value)                          \
          body __device__ inline type name##_system(type *address, type value) body

#define RELAYOUT_INTEGER_ATOMICS(type)                                                             \
  RELAYOUT_ATOMIC(atomicAdd, type, { return relayout::host::detail::fetchAdd(address, value); })   \
  RELAYOUT_ATOMIC(atomicExch, type, {                                                              \
    relayout::host::detail::spin();                                                                \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                  \
  })                                                                                               \
  RELAYOUT_ATOMIC(atomicAnd, type, { return relayout::host::detail::fetchAnd(address, value); })   \
  RELAYOUT_ATOMIC(atomicOr, type, { return relayout::host::detail::fetchOr(address, value); })     \
  RELAYOUT_ATOMIC(atomicXor, type, { return relayout::host::detail::fetchXor(address, value); })   \
  RELAYOUT_ATOMIC(atomicMin, type, {                                                               \
    return relayout::host::detail::update<type>(                                                   \
        address, [=](type old) { return value < old ? value : old; });                             \
  })                                                                                               \
  RELAYOUT_ATOMIC(atomicMax, type, {                                                               \
    return relayout::host::detail::update<type>(                                                   \
        address, [=](type old) { return old < value ? value : old; });                             \
  })

RELAYOUT_INTEGER_ATOMICS(int)
RELAYOUT_INTEGER_ATOMICS(unsigned int)
RELAYOUT_INTEGER_ATOMICS(unsigned long long int)
RELAYOUT_INTEGER_ATOMICS(long long int)
#undef RELAYOUT_INTEGER_ATOMICS

RELAYOUT_ATOMIC(atomicSub, int, { return relayout::host::detail::fetchSub(address, value); })
RELAYOUT_ATOMIC(atomicSub, unsigned int,
                { return relayout::host::detail::fetchSub(address, value); })
RELAYOUT_ATOMIC(atomicInc, unsigned int, {
  return relayout::host::detail::update<unsigned int>(
      address, [=](unsigned int old) { return old >= value ? 0u : old + 1u; });
})
RELAYOUT_ATOMIC(atomicDec, unsigned int, {
  return relayout::host::detail::update<unsigned int>(
      address, [=](unsigned int old) { return old == 0u || old > value ? value : old - 1u; });
})
RELAYOUT_ATOMIC(atomicAdd, float, {
  return relayout::host::detail::update<unsigned int>(address,
                                                      [=](float old) { return old + value; });
})
RELAYOUT_ATOMIC(atomicAdd, double, {
  return relayout::host::detail::update<unsigned long long int>(
      address, [=](double old) { return old + value; });
})
RELAYOUT_ATOMIC(atomicExch, float, {
  relayout::host::detail::spin();
  return relayout::host::detail::update<unsigned int>(address, [=](float) { return value; });
})
#undef RELAYOUT_ATOMIC

#define RELAYOUT_ATOMIC_CAS(type)                                                                  \
  __device__ inline type atomicCAS(type *address, type compare, type value) {                      \
    relayout::host::detail::spin();                                                                \
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_SEQ_CST,                 \
                                __ATOMIC_SEQ_CST);                                                 \
    return compare;                                                                                \
  }                                                                                                \
  __device__ inline type atomicCAS_block(type *address, type compare, type value) {                \
    return atomicCAS(address, compare, value);                                                     \
  }                                                                                                \
  __device__ inline type atomicCAS_system(type *address, type compare, type value) {               \
    return atomicCAS(address, compare, value);                                                     \
  }
RELAYOUT_ATOMIC_CAS(int)
RELAYOUT_ATOMIC_CAS(unsigned int)
RELAYOUT_ATOMIC_CAS(unsigned long long int)
RELAYOUT_ATOMIC_CAS(unsigned short int)
#undef RELAYOUT_ATOMIC_CAS

#include "relayout/host/nv_atomics.h"

// CUDA has these for integers alone. nvcc leaves out the bodies of kernels on the host's side,
// where a program need not show its own ones; any that it does show are chosen before these.
#define RELAYOUT_ATOMIC_OF_FLOATS(name, isBetter)                                                  \
  template <class T>                                                                               \
  __device__ inline std::enable_if_t<std::is_floating_point<T>::value && (sizeof(T) <= 8), T>      \
  name(T *address, relayout::host::detail::Given<T> value) {                                       \
    return relayout::host::detail::update<                                                         \
        std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long int>>(                 \
        address, [=](T old) { return isBetter ? value : old; });                                   \
  }
RELAYOUT_ATOMIC_OF_FLOATS(atomicMin, value < old)
RELAYOUT_ATOMIC_OF_FLOATS(atomicMax, old < value)
#undef RELAYOUT_ATOMIC_OF_FLOATS
