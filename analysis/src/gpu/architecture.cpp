// SPDX-License-Identifier: Apache-2.0
// Architecture files, which are part of the library: analysis/architectures/*.json.
#include "relayout/analysis/gpu/architecture.h"

#include "gpu/architecture_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <utility>

namespace relayout::analysis {
namespace {

/// Whose structure stands in for that of a family that no file describes.
constexpr std::string_view kStandIn = "hopper";

std::uint64_t bitsAt(const nlohmann::json &numbers) {
  std::uint64_t bits = 0;
  for (const nlohmann::json &number : numbers)
    bits |= std::uint64_t{1} << number.get<unsigned>() % 64;
  return bits;
}

/// \returns  which value is not the one that relayout was compiled for; empty: none
std::string otherGeometry(const nlohmann::json &file) {
  for (const auto &[key, value] : std::initializer_list<std::pair<const char *, std::uint64_t>>{
           {"warp_threads", kWarpThreads},
           {"sector_bytes", kSectorBytes},
           {"line_bytes", kLineBytes},
           {"granule_bytes", kGranuleBytes},
           {"data_banks", kDataBanks},
           {"tag_banks", kTagBanks},
           {"schedulers", kSchedulers},
           {"l1_ways", kL1Ways},
           {"l2_ways", kL2Ways}})
    if (file.at(key).get<std::uint64_t>() != value)
      return fmt::format("'{}' is {}, and relayout is compiled for {} (gpu/geometry.h)", key,
                         file.at(key).get<std::uint64_t>(), value);
  return {};
}

Architecture architectureFrom(const nlohmann::json &file) {
  Architecture family;
  family.isKnown = true;
  file.at("name").get_to(family.name);
  file.at("measured").get_to(family.isMeasured);
  file.at("compute_capabilities").get_to(family.computeCapabilities);
  family.tagBanks = {bitsAt(file.at("tag_bank_bits").at(0)),
                     bitsAt(file.at("tag_bank_bits").at(1))};
  file.at("row_bytes").get_to(family.rowBytes);
  file.at("gpcs").get_to(family.gpcs);
  file.at("registers_per_sm").get_to(family.registersPerSm);
  file.at("registers_at_once").get_to(family.registersAtOnce);
  file.at("reserved_shared_bytes").get_to(family.reservedSharedBytes);
  for (const nlohmann::json &kib : file.at("shared_kib"))
    family.sharedSizes.push_back(kib.get<std::uint64_t>() << 10);
  file.at("most_shared_part").get_to(family.mostSharedPart);
  return family;
}

/// What would divide by zero or look up beyond the end.
bool isComplete(const Architecture &family) {
  return family.rowBytes != 0 && family.gpcs != 0 && family.registersPerSm != 0 &&
         family.registersAtOnce != 0 && !family.sharedSizes.empty() &&
         std::ranges::is_sorted(family.sharedSizes) && family.mostSharedPart > 0 &&
         family.mostSharedPart < 1 &&
         (family.tagBanks.lowBits | family.tagBanks.highBits) < kTagPeriodBytes;
}

} // namespace

Result<Architecture> architectureFromJson(std::string_view json) {
  const nlohmann::json file = nlohmann::json::parse(json, nullptr, false);
  if (!file.is_object())
    return fail(Code::NotAMachineFile, "not an architecture file: not a JSON object");
  try {
    if (const std::string other = otherGeometry(file); !other.empty())
      return fail(Code::NotAMachineFile, "not an architecture file for this build: " + other);
    Architecture family = architectureFrom(file);
    if (!isComplete(family))
      return fail(Code::NotAMachineFile,
                  fmt::format("not an architecture file: '{}' has a value out of range; sizes are "
                              "above 0, 'shared_kib' rises, 'most_shared_part' is below 1, "
                              "'tag_bank_bits' are below 21",
                              family.name));
    return family;
  } catch (const nlohmann::json::exception &problem) {
    return fail(Code::NotAMachineFile, fmt::format("not an architecture file: {}", problem.what()));
  }
}

const std::vector<Architecture> &architectures() {
  static const std::vector<Architecture> kFamilies = [] {
    std::vector<Architecture> families;
    for (const char *text : kArchitectureFiles) {
      Result<Architecture> family = architectureFromJson(text);
      if (!family) { // a file of ours
        std::cerr << family.error().text << "\n" << text;
        std::abort();
      }
      families.push_back(std::move(*family));
    }
    std::ranges::sort(families, {}, &Architecture::name);
    return families;
  }();
  return kFamilies;
}

Architecture architectureOf(std::string_view computeCapability) {
  for (const Architecture &family : architectures())
    if (std::ranges::find(family.computeCapabilities, computeCapability) !=
        family.computeCapabilities.end())
      return family;
  Architecture standIn = *std::ranges::find(architectures(), kStandIn, &Architecture::name);
  standIn.isKnown = false;
  standIn.isMeasured = false;
  return standIn;
}

} // namespace relayout::analysis
