// SPDX-License-Identifier: Apache-2.0
// Which spans of a record lead to device memory, and which to the host's, throughout a program.
#pragma once

#include "model/span_uses.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

class SpanSides {
public:
  /// Reads a unit.
  void add(ParsedUnit &unit, const ArrayFlow &flow, const clang::CXXRecordDecl &element);
  /// Once all units are read.
  void decide(const std::vector<ArrayFlow> &flows);

  [[nodiscard]] const std::vector<std::pair<ParsedUnit *, SpanUses>> &uses() const { return uses_; }
  [[nodiscard]] bool hasDeviceSpans() const { return place_.has_value(); }
  [[nodiscard]] bool isDevice(const std::string &object) const {
    return device_.contains(rootOf(object));
  }
  /// Of one that kernels are given, say.
  [[nodiscard]] const SourcePlace &place() const { return *place_; }
  /// Why one of them has to be the library's, and where that shows.
  [[nodiscard]] const std::optional<std::pair<std::string, SourcePlace>> &obstacle() const {
    return obstacle_;
  }

private:
  [[nodiscard]] std::string rootOf(std::string object) const;
  void join(const std::string &a, const std::string &b);
  void refuse(std::string what, const SourcePlace &where) {
    if (!obstacle_)
      obstacle_.emplace(std::move(what), where);
  }

  std::vector<std::pair<ParsedUnit *, SpanUses>> uses_;
  std::map<std::string, std::string> parents_;
  std::set<std::string> device_; ///< roots
  std::optional<SourcePlace> place_;
  std::optional<std::pair<std::string, SourcePlace>> obstacle_;
};

} // namespace relayout::instrument
