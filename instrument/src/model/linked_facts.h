// SPDX-License-Identifier: Apache-2.0
// Joins the facts of a program's translation units as a linker joins objects: by symbol, and what a
// shared header defines by its place.
#pragma once

#include "model/unit_reader.h"

#include <llvm/ADT/DenseMap.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace relayout::instrument {

/// One translation unit as its passes show it.
struct UnitReading {
  CompileCommand command;
  Facts facts;
  ReadUnit host;
  std::optional<ReadUnit> device; ///< only where a user file asks for __CUDA_ARCH__
};

/// A function instance of some unit.
struct InstanceOf {
  const ReadUnit *read = nullptr;
  std::size_t index = 0;

  auto operator<=>(const InstanceOf &) const = default;
  [[nodiscard]] const FunctionInstance &operator*() const { return read->found.instances[index]; }
};

struct LinkedFacts {
  Facts whole;
  llvm::DenseMap<const Point *, Point *> pointOf; ///< of a unit's point
  std::unordered_map<const SourceFunction *, SourceFunction *> functionOf;
  std::map<std::string, InstanceOf> instanceOf; ///< by symbol; host passes only

  /// The whole program's point; null for null.
  [[nodiscard]] Point *point(const Point *own) const { return own ? pointOf.at(own) : nullptr; }
  /// What a call of another unit's function reaches; null where no unit defines it.
  [[nodiscard]] const InstanceOf *definitionOf(const OutsideCall &call) const {
    const auto found = instanceOf.find(call.symbol);
    return found == instanceOf.end() ? nullptr : &found->second;
  }
};

/// Points and functions keep the order of evaluation; calls that one unit makes and another defines
/// are resolved, and a finding is left for each that none defines.
[[nodiscard]] LinkedFacts linkFacts(const std::vector<std::unique_ptr<UnitReading>> &units);

} // namespace relayout::instrument
