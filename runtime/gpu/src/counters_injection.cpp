// SPDX-License-Identifier: Apache-2.0
// Hardware truth: librelayout_counters.so, which the CUDA driver loads into any program when
// CUDA_INJECTION64_PATH names it. The program needs no change and no probes. Settings:
//   RELAYOUT_COUNTERS       the file that is written when the program ends
//   RELAYOUT_COUNTERS_MODE  times, ranges, graphs or lines
#include "cupti_calls.h"
#include "graph_contents.h"
#include "range_profiler.h"
#include "relayout/gpu/counter_report.h"
#include "sass_counters.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>

namespace relayout::gpu {
namespace {

constexpr std::size_t kBufferBytes = 1u << 20;

/// Calls that our own work makes inside a callback come back as callbacks.
thread_local bool isInside = false;
/// This thread is between the two callbacks of a launch that is counted, and holds the mutex.
thread_local bool isCounting = false;

/// Everything that lives as long as the process.
class Counters {
public:
  Counters(std::string file, CounterMode mode)
      : file_(std::move(file)), mode_(mode), report_(mode) {}

  void start();
  void write();

  void launchBegins(const CUpti_CallbackData &state, CUstream stream);
  void launchEnds(const CUpti_CallbackData &state);
  void graphIsToBeMade(CUcontext context);
  void graphIsMade(CUgraphExec runnable, CUgraph graph);
  void graphIsChanged(CUgraphExec runnable);
  void graphIsDestroyed(CUgraphExec runnable);
  void graphBegins(const CUpti_CallbackData &state, CUgraphExec runnable);
  void graphEnds(const CUpti_CallbackData &state, CUgraphExec runnable);
  void moduleLoaded(const CUpti_ModuleResourceData &module);
  void contextEnds(CUcontext context);
  void readActivity(CUcontext context, std::uint32_t stream, std::uint8_t *buffer,
                    std::size_t validBytes);
  [[nodiscard]] CounterMode mode() const { return mode_; }
  [[nodiscard]] bool isMine() const { return getpid() == process_; }

private:
  void nameGpu();
  /// Counts the context's instructions from here on. \returns whether it does
  bool beginLines(CUcontext context);
  void endLines(CUcontext context);
  [[nodiscard]] const char *part() const;
  /// Of this context; null where there is none to be had, which is said once.
  RangeProfiler *profilerOf(CUcontext context);

  const std::string file_;
  const CounterMode mode_;
  const pid_t process_ = getpid();
  const CuptiCalls *calls_ = nullptr;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::mutex mutex_; ///< held from a counted launch's begin to its end
  CounterReport report_;
  bool isNamed_ = false, isWritten_ = false;
  std::map<CUcontext, std::unique_ptr<RangeProfiler>> profilers_; ///< null: not to be had
  std::map<CUgraphExec, GraphContents> graphs_;                   ///< those that can be launched
  std::optional<SassCounters> lines_;
  std::set<CUcontext> withoutLines_; ///< where counting instructions failed
  std::mutex codeMutex_;             ///< code is loaded in the middle of a counted launch
  std::unique_ptr<LoadedCode> code_;
};

Counters *counters = nullptr;

void CUPTIAPI bufferWanted(std::uint8_t **buffer, std::size_t *size, std::size_t *records) {
  *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0; // as many as fit
}

void CUPTIAPI bufferFull(CUcontext context, std::uint32_t stream, std::uint8_t *buffer, std::size_t,
                         std::size_t validBytes) {
  counters->readActivity(context, stream, buffer, validBytes);
  std::free(buffer);
}

/// The stream of a launch, whichever call makes it; nothing for calls that launch no kernel.
bool isLaunch(CUpti_CallbackId call, const void *words, CUstream &stream) {
  switch (call) {
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    stream = static_cast<const cuLaunchKernel_params *>(words)->hStream;
    return true;
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
    stream = static_cast<const cuLaunchCooperativeKernel_params *>(words)->hStream;
    return true;
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
    stream = static_cast<const cuLaunchKernelEx_params *>(words)->config->hStream;
    return true;
  default:
    return false;
  }
}

/// Calls that make, change, launch and destroy graphs.
void graphCalled(CUpti_CallbackId call, const CUpti_CallbackData &state) {
  const bool begins = state.callbackSite == CUPTI_API_ENTER;
  const bool isDone = !begins && state.functionReturnValue != nullptr &&
                      *static_cast<const CUresult *>(state.functionReturnValue) == CUDA_SUCCESS;
  const void *const words = state.functionParams;
  switch (call) {
  case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz: {
    // All of them begin with these two.
    const auto *const made = static_cast<const cuGraphInstantiateWithFlags_params *>(words);
    if (begins)
      counters->graphIsToBeMade(state.context);
    else if (isDone)
      counters->graphIsMade(*made->phGraphExec, made->hGraph);
    break;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2:
    if (const auto *const update = static_cast<const cuGraphExecUpdate_v2_params *>(words); isDone)
      counters->graphIsMade(update->hGraphExec, update->hGraph);
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled:
    // All of them begin with the graph.
    if (isDone)
      counters->graphIsChanged(
          static_cast<const cuGraphNodeSetEnabled_params *>(words)->hGraphExec);
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy:
    if (begins)
      counters->graphIsDestroyed(static_cast<const cuGraphExecDestroy_params *>(words)->hGraphExec);
    break;
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
    if (const auto *const launch = static_cast<const cuGraphLaunch_params *>(words); begins)
      counters->graphBegins(state, launch->hGraph);
    else
      counters->graphEnds(state, launch->hGraph);
    break;
  default:
    break;
  }
}

void CUPTIAPI called(void *, CUpti_CallbackDomain domain, CUpti_CallbackId call,
                     const void *words) {
  if (!counters->isMine())
    return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && call == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    // Also of what our own calls make the driver load.
    if (const auto *const module = static_cast<const CUpti_ModuleResourceData *>(
            static_cast<const CUpti_ResourceData *>(words)->resourceDescriptor))
      counters->moduleLoaded(*module);
    return;
  }
  if (isInside)
    return;
  isInside = true;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    if (call == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
      counters->contextEnds(static_cast<const CUpti_ResourceData *>(words)->context);
  } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto &state = *static_cast<const CUpti_CallbackData *>(words);
    CUstream stream = nullptr;
    if (!isLaunch(call, state.functionParams, stream))
      graphCalled(call, state);
    else if (state.callbackSite == CUPTI_API_ENTER)
      counters->launchBegins(state, stream);
    else
      counters->launchEnds(state);
  }
  isInside = false;
}

void writeAtExit() {
  isInside = true;
  counters->write();
}

} // namespace

void Counters::start() {
  std::string why;
  calls_ = findCuptiCalls(why);
  if (calls_ == nullptr)
    return report_.missing("counters", why);
  std::uint32_t version = 0; // since CUDA 13: xxyyzz, the toolkit's major and minor and CUPTI's own
  if (calls_->cuptiGetVersion(&version) == CUPTI_SUCCESS)
    report_.cupti(std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                  "." + std::to_string(version % 100));
  code_ = std::make_unique<LoadedCode>(*calls_);
  if (mode_ == CounterMode::Lines)
    lines_.emplace(*calls_);
  CUptiResult status =
      calls_->cuptiSubscribe(&subscriber_, reinterpret_cast<CUpti_CallbackFunc>(&called), nullptr);
  for (const CUpti_CallbackDomain domain : {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RESOURCE})
    if (status == CUPTI_SUCCESS)
      status = calls_->cuptiEnableDomain(1, subscriber_, domain);
  if (status == CUPTI_SUCCESS && mode_ == CounterMode::Times) {
    status = calls_->cuptiActivityRegisterCallbacks(&bufferWanted, &bufferFull);
    if (status == CUPTI_SUCCESS)
      status = calls_->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  }
  if (status != CUPTI_SUCCESS)
    report_.missing("counters", describe(*calls_, status));
}

void Counters::nameGpu() {
  CUdevice device = 0;
  std::array<char, 256> name{};
  if (std::exchange(isNamed_, true) || calls_->cuCtxGetDevice(&device) != CUDA_SUCCESS ||
      calls_->cuDeviceGetName(name.data(), name.size(), device) != CUDA_SUCCESS)
    return;
  report_.gpu(name.data());
}

const char *Counters::part() const {
  switch (mode_) {
  case CounterMode::Times:
    return "kernel times";
  case CounterMode::Ranges:
    return "kernel counters";
  case CounterMode::Graphs:
    return "graphs";
  case CounterMode::Lines:
    return "source lines";
  }
  return "";
}

void Counters::launchBegins(const CUpti_CallbackData &state, CUstream stream) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (stream != nullptr && calls_->cuStreamIsCapturing(stream, &capture) == CUDA_SUCCESS &&
      capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return; // becomes part of a graph, and runs when that is launched
  std::unique_lock lock(mutex_);
  nameGpu();
  const std::string symbol = state.symbolName != nullptr ? state.symbolName : "";
  const std::uint64_t earlier = report_.launched(symbol);
  if (mode_ == CounterMode::Lines && beginLines(state.context))
    report_.counting(symbol, 1);
  if (mode_ != CounterMode::Ranges || !isCountedLaunch(earlier))
    return;
  std::string why;
  RangeProfiler *const profiler = profilerOf(state.context);
  isCounting = profiler != nullptr && profiler->begin(why);
  if (isCounting)
    static_cast<void>(lock.release()); // other launches wait until this one has been counted
  else if (!why.empty())
    report_.missing(part(), why);
}

RangeProfiler *Counters::profilerOf(CUcontext context) {
  const auto [profiler, isNew] = profilers_.try_emplace(context);
  if (isNew) {
    std::string why;
    const bool ofGraphs = mode_ == CounterMode::Graphs;
    profiler->second = RangeProfiler::create(
        *calls_, context,
        ofGraphs ? RangeProfiler::Counts::Graphs : RangeProfiler::Counts::Launches,
        ofGraphs ? kGraphMetrics : std::span<const char *const>(kRangeMetrics), report_, why);
    if (!profiler->second)
      report_.missing(part(), why);
  }
  return profiler->second.get();
}

void Counters::launchEnds(const CUpti_CallbackData &state) {
  if (!std::exchange(isCounting, false))
    return;
  const std::unique_lock lock(mutex_, std::adopt_lock);
  const std::string symbol = state.symbolName != nullptr ? state.symbolName : "";
  std::string why;
  const auto values = profilers_[state.context]->end(why);
  if (!values.empty())
    report_.counted(symbol, values);
  if (!why.empty())
    report_.missing(part(), why);
}

bool Counters::beginLines(CUcontext context) {
  if (lines_->isCounting(context))
    return true;
  if (withoutLines_.contains(context))
    return false;
  std::string why;
  if (lines_->begin(context, report_, why))
    return true;
  withoutLines_.insert(context);
  report_.missing(part(), why);
  return false;
}

void Counters::endLines(CUcontext context) {
  std::string why;
  const auto instructions = lines_->end(context, why);
  const std::scoped_lock codeLock(codeMutex_);
  report_.executed(instructions,
                   [this](const CountedInstruction &at) { return code_->lineOf(at); });
  if (!why.empty())
    report_.missing(part(), why);
}

void Counters::graphIsToBeMade(CUcontext context) {
  const std::scoped_lock lock(mutex_);
  if (mode_ == CounterMode::Lines)
    beginLines(context);
}

void Counters::graphIsMade(CUgraphExec runnable, CUgraph graph) {
  const std::scoped_lock lock(mutex_);
  graphs_[runnable] = contentsOf(*calls_, graph);
}

void Counters::graphIsChanged(CUgraphExec runnable) {
  const std::scoped_lock lock(mutex_);
  graphs_[runnable].isAll = false;
}

void Counters::graphIsDestroyed(CUgraphExec runnable) {
  const std::scoped_lock lock(mutex_);
  graphs_.erase(runnable);
}

void Counters::graphBegins(const CUpti_CallbackData &state, CUgraphExec runnable) {
  std::unique_lock lock(mutex_);
  nameGpu();
  // One that nobody saw being made may run anything.
  const GraphContents &graph =
      graphs_.try_emplace(runnable, GraphContents{"", {}, false}).first->second;
  const bool isWanted = report_.graphLaunched(graph);
  if (mode_ == CounterMode::Lines && lines_->isCounting(state.context))
    for (const auto &[symbol, nodes] : graph.kernels)
      report_.counting(symbol, nodes);
  if (mode_ != CounterMode::Graphs || !isWanted)
    return;
  std::string why;
  RangeProfiler *const profiler = profilerOf(state.context);
  isCounting = profiler != nullptr && profiler->beginGraph(graph.key, why);
  if (isCounting)
    static_cast<void>(lock.release());
  else if (!why.empty())
    report_.missing(part(), why);
}

void Counters::graphEnds(const CUpti_CallbackData &state, CUgraphExec runnable) {
  if (!std::exchange(isCounting, false))
    return;
  const std::unique_lock lock(mutex_, std::adopt_lock);
  const GraphContents &graph = graphs_[runnable];
  std::string why;
  const auto told = profilers_[state.context]->endGraph(graph.key, why);
  report_.graphCounted(graph, told.isWhole, told.counters);
  if (!why.empty())
    report_.missing(part(), why);
}

void Counters::moduleLoaded(const CUpti_ModuleResourceData &module) {
  if (mode_ != CounterMode::Lines)
    return;
  const std::scoped_lock lock(codeMutex_);
  code_->add(module.pCubin, module.cubinSize);
}

void Counters::contextEnds(CUcontext context) {
  const std::scoped_lock lock(mutex_);
  if (lines_ && lines_->isCounting(context))
    endLines(context);
  withoutLines_.erase(context);
  profilers_.erase(context);
}

void Counters::readActivity(CUcontext context, std::uint32_t stream, std::uint8_t *buffer,
                            std::size_t validBytes) {
  const std::scoped_lock lock(mutex_);
  CUpti_Activity *record = nullptr;
  while (calls_->cuptiActivityGetNextRecord(buffer, validBytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      continue;
    const auto *kernel = reinterpret_cast<const CUpti_ActivityKernel10 *>(record);
    report_.ran(kernel->name != nullptr ? kernel->name : "", kernel->end - kernel->start,
                kernel->graphNodeId != 0);
  }
  std::size_t dropped = 0;
  if (calls_->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
      dropped != 0)
    report_.missing("kernel times", std::to_string(dropped) + " records were dropped by CUPTI");
}

void Counters::write() {
  if (!isMine())
    return;
  if (calls_ != nullptr && mode_ == CounterMode::Times)
    calls_->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::scoped_lock lock(mutex_);
  if (std::exchange(isWritten_, true))
    return;
  while (lines_ && !lines_->contexts().empty())
    endLines(*lines_->contexts().begin());
  // Whole or not at all: the tool takes a file that is there for a run that ended.
  const std::string part = file_ + ".part";
  std::ofstream(part) << report_.toJson();
  std::rename(part.c_str(), file_.c_str());
}

} // namespace relayout::gpu

/// Called by the driver inside cuInit.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace relayout::gpu;
  const char *file = std::getenv("RELAYOUT_COUNTERS");
  const char *mode = std::getenv("RELAYOUT_COUNTERS_MODE");
  const auto chosen = counterModeNamed(mode != nullptr ? mode : "");
  if (file == nullptr || !chosen || counters != nullptr)
    return 1;
  counters = new Counters(file, *chosen); // for ever: threads may launch while the process ends
  counters->start();
  std::atexit(&writeAtExit);
  return 1;
}
