// SPDX-License-Identifier: Apache-2.0
// Hardware truth: drives CUPTI's range profiler, one range a launch or graph.
#include "range_profiler.h"
#include "relayout/gpu/counter_report.h"

#include <cmath>

namespace relayout::gpu {

/// Room in an image; one is used at a time.
constexpr std::size_t kRanges = 8;

bool RangeProfiler::succeeds(CUptiResult status, const char *step, std::string &why) const {
  if (status == CUPTI_SUCCESS)
    return true;
  why = std::string(step) + ": " + describe(calls_, status);
  return false;
}

std::unique_ptr<RangeProfiler> RangeProfiler::create(const CuptiCalls &calls, CUcontext context,
                                                     Counts counts,
                                                     std::span<const char *const> metrics,
                                                     CounterReport &report, std::string &why) {
  std::unique_ptr<RangeProfiler> made(new RangeProfiler(calls, counts));
  if (!made->chooseMetrics(context, metrics, report, why) || !made->configure(context, why))
    return nullptr;
  return made;
}

RangeProfiler::~RangeProfiler() {
  if (profiler_ != nullptr) {
    CUpti_RangeProfiler_Disable_Params disable = {};
    disable.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
    disable.pRangeProfilerObject = profiler_;
    calls_.cuptiRangeProfilerDisable(&disable);
  }
  if (host_ != nullptr)
    forget(host_);
}

void RangeProfiler::forget(CUpti_Profiler_Host_Object *host) const {
  CUpti_Profiler_Host_Deinitialize_Params forget = {};
  forget.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
  forget.pHostObject = host;
  calls_.cuptiProfilerHostDeinitialize(&forget);
}

CUpti_Profiler_Host_Object *RangeProfiler::hostOf(std::span<const char *const> metrics,
                                                  std::string &why) const {
  CUpti_Profiler_Host_Initialize_Params host = {};
  host.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip_.c_str();
  host.pCounterAvailabilityImage = availability_.data();
  if (!succeeds(calls_.cuptiProfilerHostInitialize(&host), "start of the evaluation", why))
    return nullptr;
  CUpti_Profiler_Host_ConfigAddMetrics_Params add = {};
  add.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
  add.pHostObject = host.pHostObject;
  // CUPTI writes to neither the names nor the list.
  add.ppMetricNames = const_cast<const char **>(metrics.data());
  add.numMetrics = metrics.size();
  if (succeeds(calls_.cuptiProfilerHostConfigAddMetrics(&add), "choice of counters", why))
    return host.pHostObject;
  forget(host.pHostObject);
  return nullptr;
}

bool RangeProfiler::chooseMetrics(CUcontext context, std::span<const char *const> metrics,
                                  CounterReport &report, std::string &why) {
  CUpti_Profiler_Initialize_Params initialize = {};
  initialize.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  if (!succeeds(calls_.cuptiProfilerInitialize(&initialize), "start of the profiler", why))
    return false;
  CUdevice device = 0;
  calls_.cuCtxGetDevice(&device);
  CUpti_Profiler_DeviceSupported_Params supported = {};
  supported.structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE;
  supported.cuDevice = device;
  supported.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (!succeeds(calls_.cuptiProfilerDeviceSupported(&supported), "check of the GPU", why))
    return false;
  if (supported.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
    why = "this GPU or its configuration (MIG, virtual, confidential) has no range profiling";
    return false;
  }
  CUpti_Device_GetChipName_Params chip = {};
  chip.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  chip.deviceIndex = static_cast<std::size_t>(device);
  if (!succeeds(calls_.cuptiDeviceGetChipName(&chip), "name of the chip", why))
    return false;
  chip_ = chip.pChipName;
  CUpti_Profiler_GetCounterAvailability_Params available = {};
  available.structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE;
  available.ctx = context;
  if (!succeeds(calls_.cuptiProfilerGetCounterAvailability(&available), "list of counters", why))
    return false;
  availability_.resize(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = availability_.data();
  if (!succeeds(calls_.cuptiProfilerGetCounterAvailability(&available), "list of counters", why))
    return false;
  // All in one call: of those added one by one, CUPTI 13.0 gives several the value of the first.
  metrics_.assign(metrics.begin(), metrics.end());
  host_ = hostOf(metrics_, why);
  if (host_ != nullptr)
    return true;
  std::erase_if(metrics_, [&](const char *metric) {
    CUpti_Profiler_Host_Object *const alone = hostOf({&metric, 1}, why);
    if (alone != nullptr)
      forget(alone);
    else
      report.missing(metric, why);
    return alone == nullptr;
  });
  if (metrics_.empty())
    why = "this GPU has none of the counters";
  else
    host_ = hostOf(metrics_, why);
  return host_ != nullptr;
}

bool RangeProfiler::configure(CUcontext context, std::string &why) {
  CUpti_Profiler_Host_GetConfigImageSize_Params size = {};
  size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
  size.pHostObject = host_;
  if (!succeeds(calls_.cuptiProfilerHostGetConfigImageSize(&size), "choice of counters", why))
    return false;
  config_.resize(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params image = {};
  image.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
  image.pHostObject = host_;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  if (!succeeds(calls_.cuptiProfilerHostGetConfigImage(&image), "choice of counters", why))
    return false;
  CUpti_RangeProfiler_Enable_Params enable = {};
  enable.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
  enable.ctx = context;
  if (!succeeds(calls_.cuptiRangeProfilerEnable(&enable), "start of counting", why))
    return false;
  profiler_ = enable.pRangeProfilerObject;
  return makeImage(launch_, why);
}

bool RangeProfiler::makeImage(Image &image, std::string &why) {
  CUpti_RangeProfiler_GetCounterDataSize_Params room = {};
  room.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
  room.pRangeProfilerObject = profiler_;
  room.pMetricNames = metrics_.data();
  room.numMetrics = metrics_.size();
  room.maxNumOfRanges = kRanges;
  room.maxNumRangeTreeNodes = kRanges;
  if (!succeeds(calls_.cuptiRangeProfilerGetCounterDataSize(&room), "room for counters", why))
    return false;
  image.bytes.resize(room.counterDataSize);
  return clear(image, why);
}

bool RangeProfiler::clear(Image &image, std::string &why) {
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params clear = {};
  clear.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
  clear.pRangeProfilerObject = profiler_;
  clear.counterDataSize = image.bytes.size();
  clear.pCounterData = image.bytes.data();
  return succeeds(calls_.cuptiRangeProfilerCounterDataImageInitialize(&clear), "room for counters",
                  why);
}

bool RangeProfiler::select(Image &image, std::string &why) {
  CUpti_RangeProfiler_SetConfig_Params set = {};
  set.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
  set.pRangeProfilerObject = profiler_;
  set.configSize = config_.size();
  set.pConfig = config_.data();
  set.counterDataImageSize = image.bytes.size();
  set.pCounterDataImage = image.bytes.data();
  // A range that CUPTI makes of a graph's launch by itself keeps the graph from running (13.0).
  set.range = counts_ == Counts::Graphs ? CUPTI_UserRange : CUPTI_AutoRange;
  set.replayMode = counts_ == Counts::Graphs ? CUPTI_ApplicationReplay : CUPTI_KernelReplay;
  set.maxRangesPerPass = kRanges;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = image.pass;
  set.targetNestingLevel = image.nestingLevel;
  return succeeds(calls_.cuptiRangeProfilerSetConfig(&set), "choice of counters", why);
}

bool RangeProfiler::start(std::string &why) {
  CUpti_RangeProfiler_Start_Params start = {};
  start.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
  start.pRangeProfilerObject = profiler_;
  return succeeds(calls_.cuptiRangeProfilerStart(&start), "start of a range", why);
}

bool RangeProfiler::stop(Image &image, bool &isWhole, std::string &why) {
  CUpti_RangeProfiler_Stop_Params stop = {};
  stop.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
  stop.pRangeProfilerObject = profiler_;
  if (!succeeds(calls_.cuptiRangeProfilerStop(&stop), "end of a range", why))
    return false;
  image.pass = stop.passIndex;
  image.nestingLevel = static_cast<std::uint16_t>(stop.targetNestingLevel);
  isWhole = stop.isAllPassSubmitted != 0;
  return true;
}

std::map<std::string, std::uint64_t> RangeProfiler::evaluate(Image &image, std::string &why) {
  CUpti_RangeProfiler_DecodeData_Params decode = {};
  decode.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
  decode.pRangeProfilerObject = profiler_;
  CUpti_RangeProfiler_GetCounterDataInfo_Params found = {};
  found.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
  found.pCounterDataImage = image.bytes.data();
  found.counterDataImageSize = image.bytes.size();
  if (!succeeds(calls_.cuptiRangeProfilerDecodeData(&decode), "reading the counters", why) ||
      !succeeds(calls_.cuptiRangeProfilerGetCounterDataInfo(&found), "reading the counters", why))
    return {};
  if (found.numTotalRanges != 1 || decode.numOfRangeDropped != 0) {
    why = "a launch gave " + std::to_string(found.numTotalRanges + decode.numOfRangeDropped) +
          " ranges in place of one";
    return {};
  }
  std::vector<double> values(metrics_.size());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params evaluate = {};
  evaluate.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  evaluate.pHostObject = host_;
  evaluate.pCounterDataImage = image.bytes.data();
  evaluate.counterDataImageSize = image.bytes.size();
  evaluate.ppMetricNames = metrics_.data();
  evaluate.numMetrics = metrics_.size();
  evaluate.pMetricValues = values.data();
  if (!succeeds(calls_.cuptiProfilerHostEvaluateToGpuValues(&evaluate), "reading the counters",
                why))
    return {};
  std::map<std::string, std::uint64_t> counters;
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    if (std::isfinite(values[i]) && values[i] >= 0)
      counters[metrics_[i]] = static_cast<std::uint64_t>(std::llround(values[i]));
  return counters;
}

bool RangeProfiler::begin(std::string &why) {
  launch_.pass = 0; // CUPTI makes all of a launch's passes itself
  return select(launch_, why) && start(why);
}

std::map<std::string, std::uint64_t> RangeProfiler::end(std::string &why) {
  bool isWhole = false;
  std::map<std::string, std::uint64_t> counters;
  if (stop(launch_, isWhole, why))
    counters = evaluate(launch_, why);
  std::string ignored;
  static_cast<void>(clear(launch_, why.empty() ? why : ignored));
  return counters;
}

bool RangeProfiler::beginGraph(const std::string &key, std::string &why) {
  const auto [graph, isNew] = graphs_.try_emplace(key);
  Image &image = graph->second;
  if ((isNew && !makeImage(image, why)) || !select(image, why))
    return false;
  calls_.cuCtxSynchronize();
  CUpti_RangeProfiler_PushRange_Params push = {};
  push.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE;
  push.pRangeProfilerObject = profiler_;
  push.pRangeName = "graph";
  return start(why) &&
         succeeds(calls_.cuptiRangeProfilerPushRange(&push), "start of a graph's range", why);
}

RangeProfiler::GraphCounters RangeProfiler::endGraph(const std::string &key, std::string &why) {
  GraphCounters told;
  Image &image = graphs_.at(key);
  calls_.cuCtxSynchronize();
  CUpti_RangeProfiler_PopRange_Params pop = {};
  pop.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE;
  pop.pRangeProfilerObject = profiler_;
  if (succeeds(calls_.cuptiRangeProfilerPopRange(&pop), "end of a graph's range", why) &&
      stop(image, told.isWhole, why))
    told.counters = evaluate(image, why);
  if (told.isWhole)
    graphs_.erase(key);
  return told;
}

} // namespace relayout::gpu
