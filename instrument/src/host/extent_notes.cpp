// SPDX-License-Identifier: Apache-2.0
// Makes a traced program say how it writes the extents of what it allocates, and their values.
#include "host/lowering_edits.h"
#include "relayout/instrument/clang/size_factors.h"

#include <fmt/format.h>

#include <iterator>
#include <set>

namespace relayout::instrument {
namespace {

/// Tables of numbers are no extents.
constexpr std::size_t kMostConstants = 200;

/// Allocations of rows, and of arrays for textures, have a pointer there.
bool takesBytes(const FoundMemoryCall &allocation) {
  return allocation.kind == MemoryCall::Malloc && allocation.call->getNumArgs() > 1 &&
         allocation.call->getArg(1)->getType()->isIntegerType();
}

} // namespace

void noteExtents(UnitReading &unit) {
  TokenEdits &edits = *unit.host.edits;
  std::set<std::uint64_t> constants;
  addMultipliers(unit.host.unit->ast(), constants);
  const PassedNames passed = passedNames(unit.host.unit->ast());
  std::string known;
  if (constants.size() > kMostConstants)
    constants.erase(std::next(constants.begin(), kMostConstants), constants.end());
  for (const std::uint64_t constant : constants)
    known += fmt::format("{{\"{0}\", {0}u}}, ", constant);
  std::set<TokenEdits::Index> noted; // a template's allocation is found once an instance
  for (const FoundMemoryCall &memory : unit.host.found.memory) {
    if (!takesBytes(memory))
      continue;
    const auto first = edits.indexOf(memory.call->getBeginLoc());
    const auto last = edits.indexOf(memory.call->getEndLoc());
    if (!first || !last || !noted.insert(*first).second)
      continue;
    std::string extents = known;
    for (const std::string &factor : extentNames(*memory.call, memory.around, passed))
      extents += fmt::format("{{\"{0}\", static_cast<unsigned long long>({0})}}, ", factor);
    if (!extents.empty())
      edits.wrap(*first, *last, fmt::format("(::relayout::host::noteExtents({{{}}}), ", extents),
                 ")");
  }
}

} // namespace relayout::instrument
