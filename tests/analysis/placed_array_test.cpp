// SPDX-License-Identifier: Apache-2.0
// The replay puts every field of every element where the layout's address function says.
#include "replay/search/candidates.h"
#include "replay/sm/instruction_lines.h"
#include "replay_cases.h"
#include "replay_machine.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace relayout::analysis {
namespace {

constexpr std::uint64_t kElements = 83; // no multiple of a tile that is tried

/// One record of these fields, and no access.
SyntheticProgram programOf(const std::vector<LayoutField> &fields) {
  std::vector<std::pair<std::string, std::uint32_t>> scalars;
  std::vector<std::uint32_t> counts;
  for (const LayoutField &field : fields) {
    scalars.emplace_back(field.name, field.alignment);
    counts.push_back(field.count);
  }
  SyntheticProgram program;
  program.makeArrays(program.record(scalars), counts);
  return program;
}

/// What the replay computes for the lanes of one warp.
class ReplayedAddresses {
public:
  explicit ReplayedAddresses(const PlacedArray &array, const RecordLeaves &leaves)
      : array_(array), leaves_(leaves), lines_(h100().architecture.tagBanks) {
    wave_.offsets.emplace_back();
    pattern_.mask = ~0u;
    pattern_.offsets = 0;
  }

  /// Of a set of one leaf: element k of a field, of the elements from the first on.
  LaneAddresses ofLeaf(std::uint32_t field, std::uint32_t k, std::uint64_t first) {
    for (unsigned lane = 0; lane < kWarpThreads; ++lane)
      wave_.offsets[0][lane] = lane;
    pattern_.base = first;
    AccessSet set;
    set.reads = std::uint64_t{1} << (leaves_.firstOfField[field] + k);
    return find(set);
  }

  /// Each lane at an element of the array member of its own: lane l at number l of those that
  /// follow the first, record after record.
  LaneAddresses ofMember(std::uint32_t field, std::uint32_t bytes, std::uint64_t first) {
    AccessSet set;
    set.reads = 1;
    set.bytes = bytes;
    set.arrayField = field;
    for (unsigned lane = 0; lane < kWarpThreads; ++lane)
      wave_.offsets[0][lane] = lane;
    pattern_.base = first;
    return find(set);
  }

private:
  LaneAddresses find(const AccessSet &set) {
    const CompiledSet code = compile(set, array_, &leaves_);
    EXPECT_EQ(code.instructions.size(), 1u);
    BundleLines found;
    lines_.find(wave_, pattern_, array_, code, 0, found);
    for (std::uint64_t &address : found.addresses)
      address += code.instructions[0].offset;
    return found.addresses;
  }

  const PlacedArray &array_;
  const RecordLeaves &leaves_;
  InstructionLines lines_;
  Wave wave_;
  LanePattern pattern_;
};

/// Compares every address with the function's, each region of the replay from its own origin:
/// without tiles every plane is a region, and the function has them one behind the other.
void compareAddresses(const trace::SiteTable &sites, const std::vector<LayoutField> &fields,
                      const Layout &layout) {
  const Result<AddressFunction> function = AddressFunction::bind(layout, fields, kElements);
  ASSERT_TRUE(function.has_value()) << function.error().text;
  WarpStream stream;
  stream.arrays.push_back({0, 0, kElements});
  BoundLayouts bound(sites, {&layout});
  ASSERT_TRUE(bound.cover(stream).has_value());
  const PlacedArray &array = bound.arrays().front();
  EXPECT_EQ(array.totalBytes, function->totalBytes());
  const RecordLeaves leaves = leavesOf(sites.records[0]);
  ReplayedAddresses replayed(array, leaves);
  std::map<std::uint32_t, std::uint64_t> origins; // by part
  const auto compare = [&](std::uint64_t address, std::uint64_t element, std::uint32_t f,
                           std::uint32_t k) {
    const std::uint32_t part =
        layout.tile != 0 ? 0 : array.fields[f].part + k * array.fields[f].partStep;
    const std::uint64_t origin = address - function->offset(element, f, k);
    const auto [at, isNew] = origins.try_emplace(part, origin);
    ASSERT_EQ(origin, at->second) << describe(layout, fields) << ", field " << fields[f].name << '['
                                  << k << "] of element " << element;
  };
  for (std::uint32_t f = 0; f < fields.size(); ++f) {
    const std::uint32_t count = fields[f].count;
    for (std::uint64_t first = 0; first + kWarpThreads <= kElements; first += 17)
      for (std::uint32_t k = 0; k < count; ++k) {
        const LaneAddresses addresses = replayed.ofLeaf(f, k, first);
        for (unsigned lane = 0; lane < kWarpThreads; ++lane)
          compare(addresses[lane], first + lane, f, k);
      }
    for (std::uint64_t first = 0; count > 1 && first + kWarpThreads <= kElements * count;
         first += 29) {
      const LaneAddresses addresses = replayed.ofMember(f, fields[f].bytes / count, first);
      for (unsigned lane = 0; lane < kWarpThreads; ++lane)
        compare(addresses[lane], (first + lane) / count, f,
                static_cast<std::uint32_t>((first + lane) % count));
    }
  }
}

std::vector<LayoutField> randomFields(std::mt19937 &random) {
  std::vector<LayoutField> fields;
  const std::size_t count = 1 + random() % 6;
  for (std::size_t f = 0; f < count; ++f) {
    const std::uint32_t bytes = 1u << random() % 5;
    const std::uint32_t elements = random() % 3 == 0 ? 2 + random() % 4 : 1;
    fields.push_back({"f" + std::to_string(f), bytes * elements, bytes, elements});
  }
  return fields;
}

TEST(PlacedArray, HasTheAddressesOfTheAddressFunction) {
  std::mt19937 random(7);
  std::size_t layouts = 0;
  for (int n = 0; n < 40; ++n) {
    const std::vector<LayoutField> fields = randomFields(random);
    const SyntheticProgram program = programOf(fields);
    SearchSpace space{fields, {}, {1, 3, 32, 37}};
    for (int use = 0; use < 3; ++use)
      space.uses.push_back(random() & ((std::uint64_t{1} << fields.size()) - 1));
    for (const Layout &first : firstCandidates(space)) {
      compareAddresses(program.trace().sites, fields, first);
      ++layouts;
    }
    for (const Layout &next : adjacentLayouts(explodedSoa(fields), space)) {
      compareAddresses(program.trace().sites, fields, next);
      ++layouts;
    }
    Layout padded = aosoa(fields, 32);
    padded.padBytes = 128;
    compareAddresses(program.trace().sites, fields, padded);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(layouts, 1000u);
}

} // namespace
} // namespace relayout::analysis
