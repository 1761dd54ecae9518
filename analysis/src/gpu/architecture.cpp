// SPDX-License-Identifier: Apache-2.0
// Architecture files, which are part of the library: analysis/architectures/*.json.
#include "relayout/analysis/gpu/architecture.h"

#include "gpu/architecture_files.h"
#include "relayout/base/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <limits>
#include <utility>

namespace relayout::analysis {
namespace {

/// Whose structure stands in for that of a family that no file describes.
constexpr std::string_view kStandIn = "hopper";

template <class Number> void readCount(const JsonValue &file, const char *key, Number &number) {
  number = static_cast<Number>(file.at(key).count(std::numeric_limits<Number>::max()));
}

std::uint64_t bitsAt(const JsonValue &numbers) {
  constexpr std::uint64_t kHighestBit = std::numeric_limits<std::uint64_t>::digits - 1;
  std::uint64_t bits = 0;
  for (const JsonValue &number : numbers.list())
    bits |= std::uint64_t{1} << number.count(kHighestBit);
  return bits;
}

void requireGeometry(const JsonValue &file) {
  for (const auto &[key, value] : std::initializer_list<std::pair<const char *, std::uint64_t>>{
           {"warp_threads", kWarpThreads},
           {"sector_bytes", kSectorBytes},
           {"line_bytes", kLineBytes},
           {"granule_bytes", kGranuleBytes},
           {"data_banks", kDataBanks},
           {"tag_banks", kTagBanks},
           {"schedulers", kSchedulers},
           {"l1_ways", kL1Ways},
           {"l2_ways", kL2Ways}}) {
    const JsonValue number = file.at(key);
    if (const std::uint64_t is = number.count(std::numeric_limits<std::uint64_t>::max());
        is != value)
      number.fail(
          fmt::format("is {}, and relayout is compiled for {} (gpu/geometry.h)", is, value));
  }
}

/// What would divide by zero or look up beyond the end.
bool isComplete(const Architecture &family) {
  return family.rowBytes != 0 && family.gpcs != 0 && family.registersPerSm != 0 &&
         family.registersAtOnce != 0 && !family.sharedSizes.empty() &&
         std::ranges::is_sorted(family.sharedSizes) && family.mostSharedPart > 0 &&
         family.mostSharedPart < 1 &&
         (family.tagBanks.lowBits | family.tagBanks.highBits) < kTagPeriodBytes;
}

Architecture architectureFrom(const JsonValue &file) {
  requireGeometry(file);
  Architecture family;
  family.isKnown = true;
  family.name = file.at("name").text();
  family.isMeasured = file.at("measured").flag();
  family.computeCapabilities = file.at("compute_capabilities").texts();
  const std::vector<JsonValue> tagBankBits = file.at("tag_bank_bits").list();
  if (tagBankBits.size() != 2)
    file.at("tag_bank_bits").fail("has other than two lists");
  family.tagBanks = {bitsAt(tagBankBits[0]), bitsAt(tagBankBits[1])};
  readCount(file, "row_bytes", family.rowBytes);
  readCount(file, "gpcs", family.gpcs);
  family.doublesACycle = file.at("doubles_a_cycle").positiveNumber();
  family.specialsACycle = file.at("specials_a_cycle").positiveNumber();
  readCount(file, "registers_per_sm", family.registersPerSm);
  readCount(file, "registers_at_once", family.registersAtOnce);
  readCount(file, "reserved_shared_bytes", family.reservedSharedBytes);
  for (const JsonValue &kib : file.at("shared_kib").list())
    family.sharedSizes.push_back(kib.count(std::numeric_limits<std::uint32_t>::max()) << 10);
  family.mostSharedPart = file.at("most_shared_part").positiveNumber();
  if (!isComplete(family))
    file.fail(fmt::format("has a value out of range for '{}': sizes are above 0, 'shared_kib' "
                          "rises, 'most_shared_part' is below 1, 'tag_bank_bits' are below 21",
                          family.name));
  return family;
}

} // namespace

Result<Architecture> architectureFromJson(std::string_view json) {
  Result<Architecture> family = readJson(json, Code::NotAMachineFile, architectureFrom);
  if (!family)
    family.error().text = "not an architecture file for this build: " + family.error().text;
  return family;
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
