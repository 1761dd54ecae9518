// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: reductions over the lanes of a cooperative group.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define RELAYOUT_OPERATION(name, expression)                                                       \
  template <class T = void> struct name {                                                          \
    __device__ T operator()(T a, T b) const { return expression; }                                 \
  };                                                                                               \
  template <> struct name<void> {                                                                  \
    template <class T> __device__ T operator()(T a, T b) const { return expression; }              \
  };
RELAYOUT_OPERATION(plus, a + b)
RELAYOUT_OPERATION(less, b < a ? b : a)
RELAYOUT_OPERATION(greater, a < b ? b : a)
RELAYOUT_OPERATION(bit_and, a &b)
RELAYOUT_OPERATION(bit_or, a | b)
RELAYOUT_OPERATION(bit_xor, a ^ b)
#undef RELAYOUT_OPERATION

/// Neighbours first, then pairs of them: the order of a butterfly over the ranks.
template <class Group, class T, class Operation>
__device__ inline T reduce(const Group &group, T value, Operation operation) {
  const unsigned int rank = group.thread_rank(), size = group.size();
  for (unsigned int step = 1; step < size; step <<= 1) {
    const T other = group.shfl_down(value, step);
    if (rank % (2 * step) == 0 && rank + step < size)
      value = operation(value, other);
  }
  return group.shfl(value, 0);
}
template <class Group, class T, class Operation>
__device__ inline void reduce_update_async(const Group &group, T &target, T value,
                                           Operation operation) {
  const T total = reduce(group, value, operation);
  if (group.thread_rank() == 0)
    target = operation(target, total);
}

} // namespace cooperative_groups
