// SPDX-License-Identifier: Apache-2.0
// Hardware truth: drives CUPTI's range profiler, one range a launch.
#include "range_profiler.h"
#include "relayout/gpu/counter_report.h"

#include <cmath>

namespace relayout::gpu {

bool RangeProfiler::succeeds(CUptiResult status, const char *step, std::string &why) const {
  if (status == CUPTI_SUCCESS)
    return true;
  why = std::string(step) + ": " + describe(calls_, status);
  return false;
}

std::unique_ptr<RangeProfiler> RangeProfiler::create(const CuptiCalls &calls, CUcontext context,
                                                     CounterReport &report, std::string &why) {
  std::unique_ptr<RangeProfiler> made(new RangeProfiler(calls));
  if (!made->chooseMetrics(context, report, why) || !made->configure(context, why))
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
  if (host_ != nullptr) {
    CUpti_Profiler_Host_Deinitialize_Params forget = {};
    forget.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
    forget.pHostObject = host_;
    calls_.cuptiProfilerHostDeinitialize(&forget);
  }
}

bool RangeProfiler::chooseMetrics(CUcontext context, CounterReport &report, std::string &why) {
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
  CUpti_Profiler_Host_Initialize_Params host = {};
  host.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip_.c_str();
  host.pCounterAvailabilityImage = availability_.data();
  if (!succeeds(calls_.cuptiProfilerHostInitialize(&host), "start of the evaluation", why))
    return false;
  host_ = host.pHostObject;
  for (const char *metric : kRangeMetrics) {
    CUpti_Profiler_Host_ConfigAddMetrics_Params add = {};
    add.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    add.pHostObject = host_;
    add.ppMetricNames = &metric;
    add.numMetrics = 1;
    const CUptiResult status = calls_.cuptiProfilerHostConfigAddMetrics(&add);
    if (status == CUPTI_SUCCESS)
      metrics_.push_back(metric);
    else
      report.missing(metric, describe(calls_, status));
  }
  why = "this GPU has none of the counters";
  return !metrics_.empty();
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
  CUpti_RangeProfiler_GetCounterDataSize_Params room = {};
  room.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
  room.pRangeProfilerObject = profiler_;
  room.pMetricNames = metrics_.data();
  room.numMetrics = metrics_.size();
  room.maxNumOfRanges = 1;
  room.maxNumRangeTreeNodes = 1;
  if (!succeeds(calls_.cuptiRangeProfilerGetCounterDataSize(&room), "room for counters", why))
    return false;
  counters_.resize(room.counterDataSize);
  if (!clearCounters(why))
    return false;
  CUpti_RangeProfiler_SetConfig_Params set = {};
  set.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
  set.pRangeProfilerObject = profiler_;
  set.configSize = config_.size();
  set.pConfig = config_.data();
  set.counterDataImageSize = counters_.size();
  set.pCounterDataImage = counters_.data();
  set.range = CUPTI_AutoRange;
  set.replayMode = CUPTI_KernelReplay;
  set.maxRangesPerPass = 1;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  return succeeds(calls_.cuptiRangeProfilerSetConfig(&set), "choice of counters", why);
}

bool RangeProfiler::clearCounters(std::string &why) {
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params clear = {};
  clear.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
  clear.pRangeProfilerObject = profiler_;
  clear.counterDataSize = counters_.size();
  clear.pCounterData = counters_.data();
  return succeeds(calls_.cuptiRangeProfilerCounterDataImageInitialize(&clear), "room for counters",
                  why);
}

bool RangeProfiler::begin(std::string &why) {
  CUpti_RangeProfiler_Start_Params start = {};
  start.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
  start.pRangeProfilerObject = profiler_;
  return succeeds(calls_.cuptiRangeProfilerStart(&start), "start of a range", why);
}

std::map<std::string, std::uint64_t> RangeProfiler::end(std::string &why) {
  CUpti_RangeProfiler_Stop_Params stop = {};
  stop.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
  stop.pRangeProfilerObject = profiler_;
  CUpti_RangeProfiler_DecodeData_Params decode = {};
  decode.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
  decode.pRangeProfilerObject = profiler_;
  CUpti_RangeProfiler_GetCounterDataInfo_Params info = {};
  info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
  info.pCounterDataImage = counters_.data();
  info.counterDataImageSize = counters_.size();
  if (!succeeds(calls_.cuptiRangeProfilerStop(&stop), "end of a range", why) ||
      !succeeds(calls_.cuptiRangeProfilerDecodeData(&decode), "reading the counters", why) ||
      !succeeds(calls_.cuptiRangeProfilerGetCounterDataInfo(&info), "reading the counters", why))
    return {};
  if (info.numTotalRanges != 1 || decode.numOfRangeDropped != 0) {
    why = "a launch gave " + std::to_string(info.numTotalRanges + decode.numOfRangeDropped) +
          " ranges in place of one";
    static_cast<void>(clearCounters(why));
    return {};
  }
  std::vector<double> values(metrics_.size());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params evaluate = {};
  evaluate.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  evaluate.pHostObject = host_;
  evaluate.pCounterDataImage = counters_.data();
  evaluate.counterDataImageSize = counters_.size();
  evaluate.ppMetricNames = metrics_.data();
  evaluate.numMetrics = metrics_.size();
  evaluate.pMetricValues = values.data();
  if (!succeeds(calls_.cuptiProfilerHostEvaluateToGpuValues(&evaluate), "reading the counters",
                why) ||
      !clearCounters(why))
    return {};
  std::map<std::string, std::uint64_t> counters;
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    if (std::isfinite(values[i]) && values[i] >= 0)
      counters[metrics_[i]] = static_cast<std::uint64_t>(std::llround(values[i]));
  return counters;
}

} // namespace relayout::gpu
