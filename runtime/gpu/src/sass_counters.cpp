// SPDX-License-Identifier: Apache-2.0
// Hardware truth: drives CUPTI's SASS metrics.
#include "sass_counters.h"

#include <cstdlib>
#include <utility>

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

std::unique_ptr<SassCounters> SassCounters::create(const CuptiCalls &calls, CUcontext context,
                                                   CounterReport &report, std::string &why) {
  std::unique_ptr<SassCounters> made(new SassCounters(calls, context));
  const auto fails = [&](CUptiResult status, const char *step) {
    if (status != CUPTI_SUCCESS)
      why = std::string(step) + ": " + describe(calls, status);
    return status != CUPTI_SUCCESS;
  };
  CUpti_Profiler_Initialize_Params initialize = {};
  initialize.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  if (fails(calls.cuptiProfilerInitialize(&initialize), "start of the profiler"))
    return nullptr;
  calls.cuCtxGetDevice(&made->device_);
  CUpti_Device_GetChipName_Params chip = {};
  chip.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  chip.deviceIndex = static_cast<std::size_t>(made->device_);
  if (fails(calls.cuptiDeviceGetChipName(&chip), "name of the chip"))
    return nullptr;
  std::vector<CUpti_SassMetrics_Config> configs;
  for (const char *metric : kLineMetrics) {
    CUpti_SassMetrics_GetProperties_Params properties = {};
    properties.structSize = CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE;
    properties.pChipName = chip.pChipName;
    properties.pMetricName = metric;
    const CUptiResult status = calls.cuptiSassMetricsGetProperties(&properties);
    if (status != CUPTI_SUCCESS) {
      report.missing(metric, describe(calls, status));
      continue;
    }
    CUpti_SassMetrics_Config config = {};
    config.metricId = properties.metric.metricId;
    config.outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU;
    configs.push_back(config);
    made->metrics_[config.metricId] = metric;
  }
  CUpti_SassMetricsSetConfig_Params set = {};
  set.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE;
  set.numOfMetricConfig = configs.size();
  set.pConfigs = configs.data();
  set.deviceIndex = static_cast<std::uint32_t>(made->device_);
  if (fails(calls.cuptiSassMetricsSetConfig(&set), "choice of metrics"))
    return nullptr;
  made->isConfigured_ = true;
  return made;
}

SassCounters::~SassCounters() {
  unpatch();
  if (!isConfigured_)
    return;
  CUpti_SassMetricsUnsetConfig_Params unset = {};
  unset.structSize = CUpti_SassMetricsUnsetConfig_Params_STRUCT_SIZE;
  unset.deviceIndex = static_cast<std::uint32_t>(device_);
  calls_.cuptiSassMetricsUnsetConfig(&unset);
}

bool SassCounters::begin(std::string &why) {
  calls_.cuCtxSynchronize();
  CUpti_SassMetricsEnable_Params enable = {};
  enable.structSize = CUpti_SassMetricsEnable_Params_STRUCT_SIZE;
  enable.ctx = context_;
  enable.enableLazyPatching = 1;
  const CUptiResult status = calls_.cuptiSassMetricsEnable(&enable);
  isEnabled_ = status == CUPTI_SUCCESS;
  if (!isEnabled_)
    why = "patching the code: " + describe(calls_, status);
  return isEnabled_;
}

void SassCounters::unpatch() {
  if (!std::exchange(isEnabled_, false))
    return;
  CUpti_SassMetricsDisable_Params disable = {};
  disable.structSize = CUpti_SassMetricsDisable_Params_STRUCT_SIZE;
  disable.ctx = context_;
  calls_.cuptiSassMetricsDisable(&disable);
}

std::vector<CountedInstruction> SassCounters::end(std::string &why) {
  calls_.cuCtxSynchronize();
  std::vector<CountedInstruction> instructions = take(why);
  unpatch();
  return instructions;
}

std::vector<CountedInstruction> SassCounters::take(std::string &why) {
  CUpti_SassMetricsGetDataProperties_Params shape = {};
  shape.structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE;
  shape.ctx = context_;
  CUptiResult status = calls_.cuptiSassMetricsGetDataProperties(&shape);
  std::vector<CUpti_SassMetrics_Data> rows(shape.numOfPatchedInstructionRecords);
  std::vector<CUpti_SassMetrics_InstanceValue> values(rows.size() * shape.numOfInstances);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].structSize = sizeof(CUpti_SassMetrics_Data);
    rows[i].pInstanceValues = values.data() + i * shape.numOfInstances;
  }
  CUpti_SassMetricsFlushData_Params flush = {};
  flush.structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
  flush.ctx = context_;
  flush.numOfPatchedInstructionRecords = rows.size();
  flush.numOfInstances = shape.numOfInstances;
  flush.pMetricsData = rows.data();
  if (status == CUPTI_SUCCESS && !rows.empty())
    status = calls_.cuptiSassMetricsFlushData(&flush);
  if (status != CUPTI_SUCCESS || rows.empty()) {
    why = status != CUPTI_SUCCESS ? describe(calls_, status)
                                  : "CUPTI patched no instruction of the kernel";
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
