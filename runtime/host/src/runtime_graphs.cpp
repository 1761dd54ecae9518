// SPDX-License-Identifier: Apache-2.0
// Executor: streams that are captured, and graphs. A graph is the captured work in program order,
// which is one of the orders that its edges allow.
#include "executor.h"
#include "handles.h"
#include "stream_capture.h"

#include "cuda_runtime_api.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using Work = std::vector<std::function<void()>>;

struct CUgraph_st {
  Work work;
};

struct CUgraphExec_st {
  Work work;
};

namespace relayout::host {
namespace {

/// What streams are captured into; streams that waited for each other share it.
class Captures {
public:
  static Captures &instance() {
    static auto *const kCaptures = new Captures;
    return *kCaptures;
  }

  bool begin(cudaStream_t stream) {
    const std::scoped_lock lock(mutex_);
    const bool isNew = graphs_.try_emplace(stream, std::make_shared<Work>()).second;
    captured_ = graphs_.size();
    return isNew;
  }

  /// \returns  null where the stream is not captured
  std::shared_ptr<Work> end(cudaStream_t stream) {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<Work> graph = find(stream);
    if (graph)
      std::erase_if(graphs_, [&](const auto &entry) { return entry.second == graph; });
    captured_ = graphs_.size();
    return graph;
  }

  bool holds(cudaStream_t stream) {
    if (captured_ == 0)
      return false;
    const std::scoped_lock lock(mutex_);
    return find(stream) != nullptr;
  }

  void add(cudaStream_t stream, std::function<void()> work) {
    const std::scoped_lock lock(mutex_);
    if (const auto graph = find(stream))
      graph->push_back(std::move(work));
  }

  void join(cudaStream_t recorded, cudaStream_t waiting) {
    const std::scoped_lock lock(mutex_);
    if (const auto graph = find(recorded))
      graphs_.try_emplace(waiting, graph);
    captured_ = graphs_.size();
  }

private:
  std::shared_ptr<Work> find(cudaStream_t stream) {
    const auto entry = graphs_.find(stream);
    return entry == graphs_.end() ? nullptr : entry->second;
  }

  std::mutex mutex_;
  std::atomic<std::size_t> captured_{0}; ///< of streams; most programs never capture one
  std::map<cudaStream_t, std::shared_ptr<Work>> graphs_;
};

} // namespace

namespace detail {

bool isCaptured(cudaStream_t stream) {
  return stream != nullptr && Captures::instance().holds(stream);
}

void capture(cudaStream_t stream, std::function<void()> work) {
  Captures::instance().add(stream, std::move(work));
}

} // namespace detail

void captureLike(cudaStream_t recorded, cudaStream_t waiting) {
  Captures::instance().join(recorded, waiting);
}

} // namespace relayout::host

using namespace relayout::host;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode) {
  if (stream == nullptr || stream == cudaStreamLegacy)
    return fail(cudaErrorStreamCaptureUnsupported);
  return Captures::instance().begin(stream) ? cudaSuccess : fail(cudaErrorIllegalState);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  if (graph == nullptr)
    return fail(cudaErrorInvalidValue);
  const std::shared_ptr<Work> captured = Captures::instance().end(stream);
  if (!captured)
    return fail(cudaErrorIllegalState);
  *graph = makeHandle(CUgraph_st{std::move(*captured)});
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  if (status == nullptr)
    return fail(cudaErrorInvalidValue);
  *status =
      detail::isCaptured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  if (mode == nullptr)
    return fail(cudaErrorInvalidValue);
  std::swap(current, *mode);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return destroyHandle(graph) ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                          unsigned long long) {
  if (executable == nullptr || graph == nullptr)
    return fail(cudaErrorInvalidValue);
  *executable = makeHandle(CUgraphExec_st{graph->work});
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return executable != nullptr ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (executable == nullptr)
    return fail(cudaErrorInvalidValue);
  for (const std::function<void()> &work : executable->work)
    if (detail::isCaptured(stream))
      detail::capture(stream, work);
    else
      work();
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return destroyHandle(executable) ? cudaSuccess : fail(cudaErrorInvalidValue);
}

} // extern "C"
