// SPDX-License-Identifier: Apache-2.0
// Executor: work that streams are asked for while they are captured, or by kernels, for the calls
// that do it.
#pragma once

#include "copy_digest.h"

#include "relayout/host/launch.h"

#include <utility>

namespace relayout::host {

/// Does the work, or leaves it to the graph that the stream is captured into, or to the end of the
/// grid that asks for it.
template <class Work> cudaError_t onStream(cudaStream_t stream, Work work) {
  if (!detail::isDeferred(stream))
    return work();
  detail::defer(stream, [work = std::move(work), note = takeCopyNote()] {
    setCopyNote(note);
    work();
  });
  return cudaSuccess;
}

/// Where the event was recorded, the other stream goes on: it is captured as that one is.
void captureLike(cudaStream_t recorded, cudaStream_t waiting);

} // namespace relayout::host
