// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: prefix sums over the lanes of a cooperative group.
#pragma once

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation = plus<T>>
__device__ inline T inclusive_scan(const Group &group, T value, Operation operation = {}) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int step = 1; step < group.size(); step <<= 1) {
    const T before = group.shfl_up(value, step);
    if (rank >= step)
      value = operation(before, value);
  }
  return value;
}

/// The first rank gets T().
template <class Group, class T, class Operation = plus<T>>
__device__ inline T exclusive_scan(const Group &group, T value, Operation operation = {}) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}

} // namespace cooperative_groups
