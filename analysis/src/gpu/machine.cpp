// SPDX-License-Identifier: Apache-2.0
// Machine files: the constants of a GPU as JSON.
#include "relayout/analysis/gpu/machine.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/base/json_reader.h"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

namespace relayout::analysis {
namespace {

/// Calls visit(name, constant) for every number, in file order.
template <class M, class Visit> void forEachConstant(M &machine, Visit visit) {
  visit("sms", machine.sms);
  visit("threads_per_sm", machine.threadsPerSm);
  visit("blocks_per_sm", machine.blocksPerSm);
  visit("l1_bytes", machine.l1Bytes);
  visit("l2_bytes", machine.l2Bytes);
  visit("l2_scattered_bytes", machine.l2ScatteredBytes);
  visit("dram_bytes_per_ns", machine.dramBytesPerNs);
  visit("dram_scattered_granules_per_ns", machine.dramScatteredGranulesPerNs);
  visit("l2_read_sectors_per_ns", machine.l2ReadSectorsPerNs);
  visit("l2_scattered_read_sectors_per_ns", machine.l2ScatteredReadSectorsPerNs);
  visit("l2_write_sectors_per_ns", machine.l2WriteSectorsPerNs);
  visit("l2_scattered_write_sectors_per_ns", machine.l2ScatteredWriteSectorsPerNs);
  visit("wavefronts_per_ns_per_sm", machine.wavefrontsPerNsPerSm);
  visit("instructions_per_ns_per_sm", machine.instructionsPerNsPerSm);
  visit("launch_ns", machine.launchNs);
  visit("block_start_ns", machine.blockStartNs);
  visit("l1_latency_ns", machine.l1LatencyNs);
  visit("l2_latency_ns", machine.l2LatencyNs);
  visit("dram_latency_ns", machine.dramLatencyNs);
  visit("copy_bytes_per_ns", machine.copyBytesPerNs);
}

template <class Constant> void readPositive(const JsonValue &value, Constant &constant) {
  if constexpr (std::is_integral_v<Constant>)
    constant = static_cast<Constant>(value.count(std::numeric_limits<Constant>::max()));
  else
    constant = value.positiveNumber();
  if (constant == 0)
    value.fail("is not a positive number");
}

Machine machineFrom(const JsonValue &file) {
  Machine machine;
  machine.name = file.at("name").text();
  // Files of before a family was named have none, and are taken for those of an unknown one.
  if (const auto capability = file.find("compute_capability"))
    machine.computeCapability = capability->text();
  machine.architecture = architectureOf(machine.computeCapability);
  if (const auto calibrated = file.find("calibrated"))
    machine.isCalibrated = calibrated->flag();
  forEachConstant(
      machine, [&file](const char *key, auto &constant) { readPositive(file.at(key), constant); });
  return machine;
}

} // namespace

Result<Machine> machineFromJson(std::string_view json) {
  Result<Machine> machine = readJson(json, Code::NotAMachineFile, machineFrom);
  if (!machine)
    machine.error().text = "not a machine file: " + machine.error().text;
  return machine;
}

std::string toJson(const Machine &machine) {
  nlohmann::ordered_json file;
  file["name"] = machine.name;
  if (!machine.computeCapability.empty())
    file["compute_capability"] = machine.computeCapability;
  file["calibrated"] = machine.isCalibrated;
  forEachConstant(machine, [&](const char *key, const auto &constant) { file[key] = constant; });
  return file.dump(2) + "\n";
}

double Machine::errorFactor() const {
  return isCalibrated && architecture.isMeasured ? 1 : fit::kUncalibratedError;
}

std::vector<std::string> reservationsAbout(const Machine &machine) {
  const Architecture &family = machine.architecture;
  std::vector<std::string> reservations;
  if (!machine.isCalibrated)
    reservations.push_back(fmt::format("the rates of {} are published figures or another "
                                       "GPU's; 'relayout calibrate' measures them",
                                       machine.name));
  if (!family.isKnown)
    reservations.push_back(fmt::format(
        "no architecture file describes {}; the structure of '{}' stands in for its family's",
        machine.computeCapability.empty() ? "a GPU whose machine file names no compute capability"
                                          : "compute capability " + machine.computeCapability,
        family.name));
  else if (!family.isMeasured)
    reservations.push_back(fmt::format(
        "the structure of the family '{}' is from published figures; predictions were compared "
        "with measurements on another family only",
        family.name));
  return reservations;
}

std::string describe(const Machine &machine) {
  if (!machine.isCalibrated)
    return machine.name + " (not calibrated)";
  return machine.name + (machine.architecture.isMeasured ? "" : " (family not measured)");
}

} // namespace relayout::analysis
