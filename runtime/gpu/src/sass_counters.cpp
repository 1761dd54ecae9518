// SPDX-License-Identifier: Apache-2.0
// Hardware truth: drives CUPTI's SASS metrics.
#include "sass_counters.h"

#include <cstdlib>

namespace relayout::gpu {

void LoadedCode::add(const char *cubin, std::size_t bytes) {
  CUpti_GetCubinCrcParams checksum = {};
  checksum.size = CUpti_GetCubinCrcParamsSize;
  checksum.cubinSize = bytes;
  checksum.cubin = cubin;
  if (cubin != nullptr && calls_.cuptiGetCubinCrc(&checksum) == CUPTI_SUCCESS)
    cubins_[static_cast<std::uint32_t>(checksum.cubinCrc)].assign(cubin, bytes);
}

std::optional<LinePlace> LoadedCode::lineOf(const CountedInstruction &instruction) const {
  const auto cubin = cubins_.find(instruction.cubin);
  if (cubin == cubins_.end())
    return std::nullopt;
  CUpti_GetSassToSourceCorrelationParams place = {};
  place.size = CUpti_GetSassToSourceCorrelationParamsSize;
  place.cubin = cubin->second.data();
  place.cubinSize = cubin->second.size();
  place.functionName = instruction.function.c_str();
  place.pcOffset = instruction.offset;
  if (calls_.cuptiGetSassToSourceCorrelation(&place) != CUPTI_SUCCESS ||
      place.fileName == nullptr || place.lineNumber == 0)
    return std::nullopt;
  LinePlace found{place.fileName, place.lineNumber};
  if (place.dirName != nullptr && *place.dirName != '\0' && *place.fileName != '/')
    found.file = std::string(place.dirName) + "/" + place.fileName;
  std::free(place.fileName);
  std::free(place.dirName);
  return found;
}

bool SassCounters::succeeds(CUptiResult status, const char *step, std::string &why) const {
  if (status != CUPTI_SUCCESS)
    why = std::string(step) + ": " + describe(calls_, status);
  return status == CUPTI_SUCCESS;
}

bool SassCounters::configure(CUdevice device, CounterReport &report, std::string &why) {
  CUpti_Profiler_Initialize_Params initialize = {};
  initialize.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  CUpti_Device_GetChipName_Params chip = {};
  chip.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  chip.deviceIndex = static_cast<std::size_t>(device);
  if (!succeeds(calls_.cuptiProfilerInitialize(&initialize), "start of the profiler", why) ||
      !succeeds(calls_.cuptiDeviceGetChipName(&chip), "name of the chip", why))
    return false;
  std::vector<CUpti_SassMetrics_Config> configs;
  for (const char *metric : kLineMetrics) {
    CUpti_SassMetrics_GetProperties_Params properties = {};
    properties.structSize = CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE;
    properties.pChipName = chip.pChipName;
    properties.pMetricName = metric;
    const CUptiResult status = calls_.cuptiSassMetricsGetProperties(&properties);
    if (status != CUPTI_SUCCESS) {
      report.missing(metric, describe(calls_, status));
      continue;
    }
    CUpti_SassMetrics_Config config = {};
    config.metricId = properties.metric.metricId;
    config.outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU;
    configs.push_back(config);
    metrics_[config.metricId] = metric;
  }
  CUpti_SassMetricsSetConfig_Params set = {};
  set.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE;
  set.numOfMetricConfig = configs.size();
  set.pConfigs = configs.data();
  set.deviceIndex = static_cast<std::uint32_t>(device);
  return succeeds(calls_.cuptiSassMetricsSetConfig(&set), "choice of metrics", why);
}

bool SassCounters::begin(CUcontext context, CounterReport &report, std::string &why) {
  CUdevice device = 0;
  calls_.cuCtxGetDevice(&device);
  if (!devices_.insert(device).second) {
    why = "CUPTI counts in the first context of a device only";
    return false;
  }
  if (!configure(device, report, why))
    return false;
  CUpti_SassMetricsEnable_Params enable = {};
  enable.structSize = CUpti_SassMetricsEnable_Params_STRUCT_SIZE;
  enable.ctx = context;
  enable.enableLazyPatching = 1;
  if (!succeeds(calls_.cuptiSassMetricsEnable(&enable), "patching the code", why))
    return false;
  contexts_.insert(context);
  return true;
}

std::vector<CountedInstruction> SassCounters::end(CUcontext context, std::string &why) {
  calls_.cuCtxPushCurrent_v2(context);
  calls_.cuCtxSynchronize();
  std::vector<CountedInstruction> instructions = take(context, why);
  CUpti_SassMetricsDisable_Params disable = {};
  disable.structSize = CUpti_SassMetricsDisable_Params_STRUCT_SIZE;
  disable.ctx = context;
  calls_.cuptiSassMetricsDisable(&disable);
  CUdevice device = 0;
  calls_.cuCtxGetDevice(&device);
  CUpti_SassMetricsUnsetConfig_Params unset = {};
  unset.structSize = CUpti_SassMetricsUnsetConfig_Params_STRUCT_SIZE;
  unset.deviceIndex = static_cast<std::uint32_t>(device);
  calls_.cuptiSassMetricsUnsetConfig(&unset);
  contexts_.erase(context);
  CUcontext popped = nullptr;
  calls_.cuCtxPopCurrent_v2(&popped);
  return instructions;
}

std::vector<CountedInstruction> SassCounters::take(CUcontext context, std::string &why) {
  CUpti_SassMetricsGetDataProperties_Params shape = {};
  shape.structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE;
  shape.ctx = context;
  CUptiResult status = calls_.cuptiSassMetricsGetDataProperties(&shape);
  std::vector<CUpti_SassMetrics_Data> rows(shape.numOfPatchedInstructionRecords);
  std::vector<CUpti_SassMetrics_InstanceValue> values(rows.size() * shape.numOfInstances);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].structSize = sizeof(CUpti_SassMetrics_Data);
    rows[i].pInstanceValues = values.data() + i * shape.numOfInstances;
  }
  CUpti_SassMetricsFlushData_Params flush = {};
  flush.structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
  flush.ctx = context;
  flush.numOfPatchedInstructionRecords = rows.size();
  flush.numOfInstances = shape.numOfInstances;
  flush.pMetricsData = rows.data();
  if (status == CUPTI_SUCCESS && !rows.empty())
    status = calls_.cuptiSassMetricsFlushData(&flush);
  if (status != CUPTI_SUCCESS || rows.empty()) {
    why = status != CUPTI_SUCCESS ? describe(calls_, status) : "CUPTI patched no instruction";
    return {};
  }
  std::vector<CountedInstruction> instructions;
  for (const CUpti_SassMetrics_Data &row : rows) {
    CountedInstruction &instruction = instructions.emplace_back();
    instruction.cubin = row.cubinCrc;
    instruction.function = row.functionName != nullptr ? row.functionName : "";
    instruction.offset = row.pcOffset;
    for (std::size_t k = 0; k < shape.numOfInstances; ++k)
      if (const auto metric = metrics_.find(row.pInstanceValues[k].metricId);
          metric != metrics_.end())
        instruction.counters[metric->second] += row.pInstanceValues[k].value;
    std::free(const_cast<char *>(row.functionName)); // CUPTI leaves it to its caller
  }
  return instructions;
}

} // namespace relayout::gpu
