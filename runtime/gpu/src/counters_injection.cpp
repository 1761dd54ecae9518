// SPDX-License-Identifier: Apache-2.0
// Hardware truth: librelayout_counters.so, which the CUDA driver loads into any program when
// CUDA_INJECTION64_PATH names it. The program needs no change and no probes. Settings:
//   RELAYOUT_COUNTERS       the file that is written when the program ends
//   RELAYOUT_COUNTERS_MODE  times, ranges or lines
//   RELAYOUT_COUNTERS_KERNEL  lines: symbol of the kernel; without it the one launched first
#include "cupti_calls.h"
#include "range_profiler.h"
#include "relayout/gpu/counter_report.h"
#include "sass_counters.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
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
  Counters(std::string file, CounterMode mode, std::string kernel)
      : file_(std::move(file)), mode_(mode), report_(mode), lineKernel_(std::move(kernel)) {}

  void start();
  void write();

  void launchBegins(const CUpti_CallbackData &state, CUstream stream);
  void launchEnds(const CUpti_CallbackData &state);
  void graphLaunched();
  void moduleLoaded(const CUpti_ModuleResourceData &module);
  void contextEnds(CUcontext context);
  void readActivity(CUcontext context, std::uint32_t stream, std::uint8_t *buffer,
                    std::size_t validBytes);
  [[nodiscard]] CounterMode mode() const { return mode_; }
  [[nodiscard]] bool isMine() const { return getpid() == process_; }

private:
  void nameGpu();
  void beginLines(CUcontext context, const std::string &symbol);
  void endLines();
  [[nodiscard]] const char *part() const {
    return mode_ == CounterMode::Ranges ? "kernel counters" : "source lines";
  }
  /// Of this context; made if it is new.
  template <class Counter>
  bool beginIn(std::map<CUcontext, std::unique_ptr<Counter>> &byContext, CUcontext context,
               std::string &why);

  const std::string file_;
  const CounterMode mode_;
  const pid_t process_ = getpid();
  const CuptiCalls *calls_ = nullptr;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::mutex mutex_; ///< held from a counted launch's begin to its end
  CounterReport report_;
  bool isNamed_ = false, isWritten_ = false;
  std::map<CUcontext, std::unique_ptr<RangeProfiler>> profilers_; ///< null: not to be had
  std::string lineKernel_;                                        ///< empty: not known yet
  CUcontext lineContext_ = nullptr;     ///< where it was first launched; its launches elsewhere
  std::unique_ptr<SassCounters> lines_; ///< are not counted. Null: not begun, or ended
  std::uint64_t lineLaunches_ = 0;      ///< in that context
  std::mutex codeMutex_;                ///< code is loaded in the middle of a counted launch
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
    const bool begins = state.callbackSite == CUPTI_API_ENTER;
    CUstream stream = nullptr;
    if (isLaunch(call, state.functionParams, stream)) {
      if (begins)
        counters->launchBegins(state, stream);
      else
        counters->launchEnds(state);
    } else if (begins && (call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
                          call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz)) {
      counters->graphLaunched();
    }
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
  CUptiResult status =
      calls_->cuptiSubscribe(&subscriber_, reinterpret_cast<CUpti_CallbackFunc>(&called), nullptr);
  const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId call) {
    if (status == CUPTI_SUCCESS)
      status = calls_->cuptiEnableCallback(1, subscriber_, domain, call);
  };
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  if (mode_ == CounterMode::Lines)
    enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  for (const CUpti_CallbackId launch :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz})
    enable(CUPTI_CB_DOMAIN_DRIVER_API, launch);
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

void Counters::launchBegins(const CUpti_CallbackData &state, CUstream stream) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (stream != nullptr && calls_->cuStreamIsCapturing(stream, &capture) == CUDA_SUCCESS &&
      capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return; // becomes part of a graph, and runs when that is launched
  std::unique_lock lock(mutex_);
  nameGpu();
  const std::string symbol = state.symbolName != nullptr ? state.symbolName : "";
  const std::uint64_t earlier = report_.launched(symbol);
  if (mode_ == CounterMode::Lines)
    return beginLines(state.context, symbol);
  if (mode_ == CounterMode::Times || !isCountedLaunch(earlier))
    return;
  std::string why;
  isCounting = beginIn(profilers_, state.context, why);
  if (isCounting)
    static_cast<void>(lock.release()); // other launches wait until this one has been counted
  else if (!why.empty())
    report_.missing(part(), why);
}

template <class Counter>
bool Counters::beginIn(std::map<CUcontext, std::unique_ptr<Counter>> &byContext, CUcontext context,
                       std::string &why) {
  const auto [counter, isNew] = byContext.try_emplace(context);
  if (isNew)
    counter->second = Counter::create(*calls_, context, report_, why);
  return counter->second && counter->second->begin(why);
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

/// CUPTI 13.0 patches only the first function that is launched after it was enabled, and no other
/// one later on: seen on an H100 in fourteen ways to call it. So one kernel is counted a process,
/// in all its launches.
void Counters::beginLines(CUcontext context, const std::string &symbol) {
  if (lineKernel_.empty())
    lineKernel_ = symbol;
  if (symbol != lineKernel_)
    return;
  if (lineContext_ == nullptr) {
    lineContext_ = context;
    std::string why;
    lines_ = SassCounters::create(*calls_, context, report_, why);
    if (lines_ && !lines_->begin(why))
      lines_.reset();
    if (!why.empty())
      report_.missing(part(), why);
  }
  if (lines_ && context == lineContext_)
    ++lineLaunches_;
}

void Counters::endLines() {
  if (!lines_)
    return;
  std::string why;
  calls_->cuCtxPushCurrent_v2(lineContext_);
  const auto instructions = lines_->end(why);
  lines_.reset();
  CUcontext popped = nullptr;
  calls_->cuCtxPopCurrent_v2(&popped);
  const std::scoped_lock codeLock(codeMutex_);
  if (!instructions.empty())
    report_.executed(lineKernel_, lineLaunches_, instructions,
                     [this](const CountedInstruction &at) { return code_->lineOf(at); });
  if (!why.empty())
    report_.missing(part(), why);
}

void Counters::graphLaunched() {
  const std::scoped_lock lock(mutex_);
  if (mode_ != CounterMode::Times)
    report_.missing(part(), "kernels inside a graph are not counted one by one");
}

void Counters::moduleLoaded(const CUpti_ModuleResourceData &module) {
  const std::scoped_lock lock(codeMutex_);
  code_->add(module.pCubin, module.cubinSize);
}

void Counters::contextEnds(CUcontext context) {
  const std::scoped_lock lock(mutex_);
  if (context == lineContext_)
    endLines();
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
    report_.ran(kernel->name != nullptr ? kernel->name : "", kernel->end - kernel->start);
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
  endLines();
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
  const char *kernel = std::getenv("RELAYOUT_COUNTERS_KERNEL");
  counters = new Counters(
      file, *chosen,
      kernel != nullptr ? kernel : ""); // for ever: threads may launch while the process ends
  counters->start();
  std::atexit(&writeAtExit);
  return 1;
}
