// SPDX-License-Identifier: Apache-2.0
// Hardware truth: the calls of CUPTI that counters need, found when the program runs, so that a
// machine without CUPTI is told about it and not killed by it.
#pragma once

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <string>

// clang-format off
#define RELAYOUT_CUPTI_CALLS(CALL)                                                                 \
  CALL(cuptiSubscribe) CALL(cuptiEnableDomain) CALL(cuptiGetResultString) CALL(cuptiGetVersion)    \
  CALL(cuptiActivityRegisterCallbacks) CALL(cuptiActivityEnable) CALL(cuptiActivityFlushAll)       \
  CALL(cuptiActivityGetNextRecord) CALL(cuptiActivityGetNumDroppedRecords)                         \
  CALL(cuptiProfilerInitialize) CALL(cuptiProfilerDeviceSupported) CALL(cuptiDeviceGetChipName)    \
  CALL(cuptiProfilerGetCounterAvailability)                                                        \
  CALL(cuptiProfilerHostInitialize) CALL(cuptiProfilerHostDeinitialize)                            \
  CALL(cuptiProfilerHostConfigAddMetrics) CALL(cuptiProfilerHostGetConfigImageSize)                \
  CALL(cuptiProfilerHostGetConfigImage) CALL(cuptiProfilerHostEvaluateToGpuValues)                 \
  CALL(cuptiRangeProfilerEnable) CALL(cuptiRangeProfilerDisable)                                   \
  CALL(cuptiRangeProfilerGetCounterDataSize) CALL(cuptiRangeProfilerCounterDataImageInitialize)    \
  CALL(cuptiRangeProfilerSetConfig) CALL(cuptiRangeProfilerStart) CALL(cuptiRangeProfilerStop)     \
  CALL(cuptiRangeProfilerPushRange) CALL(cuptiRangeProfilerPopRange)                               \
  CALL(cuptiRangeProfilerDecodeData) CALL(cuptiRangeProfilerGetCounterDataInfo)                    \
  CALL(cuptiSassMetricsGetProperties) CALL(cuptiSassMetricsSetConfig)                              \
  CALL(cuptiSassMetricsUnsetConfig) CALL(cuptiSassMetricsEnable) CALL(cuptiSassMetricsDisable)     \
  CALL(cuptiSassMetricsGetDataProperties) CALL(cuptiSassMetricsFlushData)                          \
  CALL(cuptiGetCubinCrc) CALL(cuptiGetSassToSourceCorrelation)

#define RELAYOUT_DRIVER_CALLS(CALL)                                                                \
  CALL(cuCtxGetCurrent) CALL(cuCtxGetDevice) CALL(cuCtxSynchronize) CALL(cuDeviceGetName)          \
  CALL(cuCtxPushCurrent_v2) CALL(cuCtxPopCurrent_v2) CALL(cuStreamIsCapturing)                     \
  CALL(cuGraphGetNodes) CALL(cuGraphNodeGetType) CALL(cuGraphChildGraphNodeGetGraph)               \
  CALL(cuGraphKernelNodeGetParams_v2) CALL(cuFuncGetName) CALL(cuKernelGetName)
// clang-format on

namespace relayout::gpu {

struct CuptiCalls {
#define CALL(name) decltype(&::name) name = nullptr;
  RELAYOUT_CUPTI_CALLS(CALL)
  RELAYOUT_DRIVER_CALLS(CALL)
#undef CALL
};

/// Null, and in `why` the reason, where CUPTI or the driver is missing or too old. Kept for ever.
[[nodiscard]] const CuptiCalls *findCuptiCalls(std::string &why);

/// CUPTI's own words, its name of the error, and what helps where something does.
[[nodiscard]] std::string describe(const CuptiCalls &calls, CUptiResult status);

} // namespace relayout::gpu
