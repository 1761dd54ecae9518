// SPDX-License-Identifier: Apache-2.0
// The one fan-out of work over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace relayout {

/// Runs job(0) … job(count - 1), each once, on several threads, this one among them.
/// \param threads  0: as many as the machine has
void runParallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)> &job);

} // namespace relayout
