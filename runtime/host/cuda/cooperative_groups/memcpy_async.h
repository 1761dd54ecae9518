// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: copies by all threads of a cooperative group. They are done
// when the group waits for them.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

/// \param bytes  a number, or a cuda::aligned_size_t
template <class Group, class T, class U, class Bytes>
__device__ inline void memcpy_async(const Group &group, T *to, const U *from, const Bytes &bytes) {
  const size_t count = static_cast<size_t>(bytes);
  for (size_t i = group.thread_rank(); i < count; i += group.size())
    reinterpret_cast<char *>(to)[i] = reinterpret_cast<const char *>(from)[i];
}
template <class Group> __device__ inline void wait(const Group &group) { group.sync(); }
template <unsigned int Stages, class Group> __device__ inline void wait_prior(const Group &group) {
  group.sync();
}

} // namespace cooperative_groups
