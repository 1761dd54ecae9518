// SPDX-License-Identifier: Apache-2.0
// Executor: memory that kernels allocate by themselves.
#include "arena.h"

#include "relayout/host/launch.h"

#include <cstdlib>

namespace relayout::host {

void *mallocInKernel(size_t bytes) {
  constexpr std::size_t kBehind = 128;
  return std::calloc(1, bytes + kBehind);
}

void freeInKernel(void *memory) {
  if (!Arena::instance().contains(memory))
    std::free(memory);
}

} // namespace relayout::host
