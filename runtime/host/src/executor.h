// SPDX-License-Identifier: Apache-2.0
// Executor: spreads the blocks of a launch over worker threads.
#pragma once

#include "relayout/host/launch.h"

namespace relayout::host {

inline constexpr unsigned kMaxBlockThreads = 1024;
inline constexpr std::size_t kSharedBytes = 48u << 10;
inline constexpr std::size_t kSharedBytesOptIn = 227u << 10;

/// Why the launch cannot be, or cudaSuccess.
cudaError_t checkShape(const detail::KernelCall &call);

/// Raises the dynamic shared memory a kernel may ask for; null or too much is an error.
cudaError_t setDynamicSharedLimit(const void *function, int bytes);
int dynamicSharedLimit(const void *function);

/// Called again and again by a block that waits for what another one will write: begins the next
/// one that has not begun, on a thread of its own, or pauses where all have.
void waitForOtherBlocks();

/// What cudaGetLastError() will return on this thread.
cudaError_t fail(cudaError_t error);

} // namespace relayout::host
