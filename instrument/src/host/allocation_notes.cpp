// SPDX-License-Identifier: Apache-2.0
// Makes a traced program say what it allocates: the group of arrays, how it writes the extents, and
// their values.
#include "host/lowering_edits.h"
#include "model/multipliers.h"
#include "relayout/instrument/clang/size_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {
namespace {

/// Tables of numbers are no extents.
constexpr std::size_t kMostConstants = 200;

/// Allocations of rows, and of arrays for textures, have a pointer there.
bool takesBytes(const FoundMemoryCall &allocation) {
  return allocation.kind == MemoryCall::Malloc && allocation.call->getNumArgs() > 1 &&
         allocation.call->getArg(1)->getType()->isIntegerType();
}

/// The group of what is allocated at this place; kNone where it may be another one, as in a
/// template.
trace::Index groupAt(const ProgramModel &model, const SourcePlace &place) {
  trace::Index group = trace::kNone;
  for (const MemoryOperation &operation : model.memory)
    if (operation.call == MemoryCall::Malloc && operation.place == place) {
      if (operation.group == trace::kNone || (group != trace::kNone && group != operation.group))
        return trace::kNone;
      group = operation.group;
    }
  return group;
}

/// The names and constants that an extent may be, those that lead to a factor of the array's
/// subscripts in front, the nearest first: of several with one value the first is it.
std::string extentsOf(const FoundMemoryCall &memory, const Multipliers &multipliers,
                      const PassedNames &passed) {
  constexpr unsigned kName = std::numeric_limits<unsigned>::max() - 1, kConstant = kName + 1;
  const SubscriptFactors factors = multipliers.factorsOf(memory.group);
  std::vector<std::pair<unsigned, std::string>> extents;
  for (const ExtentName &name : extentNames(*memory.call, memory.around, passed))
    extents.emplace_back(
        factors.stepsFrom(name).value_or(kName),
        fmt::format("{{\"{0}\", static_cast<unsigned long long>({0})}}, ", name.text));
  std::size_t constants = 0;
  for (const std::uint64_t constant : multipliers.constants())
    if (constants++ < kMostConstants)
      extents.emplace_back(factors.stepsFrom(constant).value_or(kConstant),
                           fmt::format("{{\"{0}\", {0}u}}, ", constant));
  std::ranges::stable_sort(extents, {}, &std::pair<unsigned, std::string>::first);
  std::string text;
  for (const auto &[steps, extent] : extents)
    text += extent;
  return text;
}

} // namespace

void noteAllocations(const ProgramModel &model, UnitReading &unit) {
  if (unit.command.language == Language::C) // the notes are C++
    return;
  TokenEdits &edits = *unit.host.edits;
  const Multipliers multipliers(*unit.host.unit, unit.host.found.flow);
  const PassedNames passed = passedNames(unit.host.unit->ast());
  std::set<TokenEdits::Index> noted; // a template's allocation is found once an instance
  for (const FoundMemoryCall &memory : unit.host.found.memory) {
    if (!takesBytes(memory))
      continue;
    const auto first = edits.indexOf(memory.call->getBeginLoc());
    const auto last = edits.indexOf(memory.call->getEndLoc());
    if (!first || !last || !noted.insert(*first).second)
      continue;
    const std::string extents = extentsOf(memory, multipliers, passed);
    const trace::Index group = groupAt(model, unit.host.unit->place(memory.call->getBeginLoc()));
    if (group != trace::kNone || !extents.empty())
      edits.wrap(*first, *last,
                 fmt::format("(::relayout::host::noteAllocation({}u, {{{}}}), ", group, extents),
                 ")");
  }
}

} // namespace relayout::instrument
