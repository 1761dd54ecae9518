// SPDX-License-Identifier: Apache-2.0
// Joins the groups of units that name one entity, as a linker does, and those that helpers join.
#include "model/flow_reader.h"
#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/symbols.h"

#include <algorithm>
#include <map>

namespace relayout::instrument {

class FlowLinker {
public:
  explicit FlowLinker(const std::vector<ParsedUnit *> &units) : units_(units) {
    for (ParsedUnit *unit : units) {
      first_.push_back(static_cast<std::uint32_t>(parents_.size()));
      flows_.push_back(readFlow(*unit));
      for (const ArrayGroup &group : flows_.back().groups) {
        parents_.push_back(static_cast<std::uint32_t>(parents_.size()));
        origins_.push_back(group.origins);
        records_.push_back(symbolOf(*unit, group.record));
      }
    }
  }

  std::vector<ArrayFlow> link() {
    if (units_.size() > 1)
      joinSymbols();
    joinLookups();
    std::vector<ArrayGroup> shared = sharedGroups();
    std::vector<ArrayFlow> linked(units_.size());
    for (std::size_t u = 0; u < units_.size(); ++u) {
      linked[u].groups_ = shared;
      for (const auto &[declaration, own] : flows_[u].declarations) {
        const std::uint32_t number = numberOf_.at(root(first_[u] + own));
        ArrayGroup &group = linked[u].groups_[number];
        if (!group.record)
          group.record = flows_[u].groups[own].record;
        group.declarations.push_back(declaration);
        linked[u].groupOf_.emplace(declaration, number);
      }
    }
    return linked;
  }

private:
  std::uint32_t root(std::uint32_t group) {
    while (parents_[group] != group)
      group = parents_[group] = parents_[parents_[group]];
    return group;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a == b || records_[a] != records_[b])
      return;
    // The first to be seen stays the root.
    if (b < a)
      std::swap(a, b);
    parents_[b] = a;
    merge(origins_[b], origins_[a]);
  }

  void joinSymbols() {
    std::map<std::string, std::vector<std::uint32_t>> groupsOf; // records of one name may differ
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const auto &[declaration, own] : flows_[u].declarations) {
        std::vector<std::uint32_t> &known = groupsOf[symbolOf(*units_[u], declaration)];
        for (const std::uint32_t other : known)
          join(other, first_[u] + own);
        known.push_back(first_[u] + own);
      }
  }

  /// A helper that takes `const R &` works on whatever it is given. Its accesses belong to the
  /// device arrays it is called with; host memory it is also called with does not become theirs.
  void joinLookups() {
    std::vector<bool> isDevice(parents_.size()); // before any helper has joined one
    for (std::uint32_t group = 0; group < parents_.size(); ++group) {
      const Origins &origins = origins_[root(group)];
      isDevice[root(group)] = origins.device || origins.unknown || origins.managed;
    }
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const auto &[parameter, argument] : flows_[u].lookups) {
        const std::uint32_t from = root(first_[u] + argument), to = root(first_[u] + parameter);
        if (from == to || !isDevice[from] || records_[from] != records_[to])
          continue;
        parents_[from] = to;
        merge(origins_[from], origins_[to]);
      }
  }

  template <class Value> static void addOnce(const Value &value, std::vector<Value> &to) {
    if (std::ranges::find(to, value) == to.end())
      to.push_back(value);
  }

  /// What all units say of each group, numbered in the order of units and their text.
  std::vector<ArrayGroup> sharedGroups() {
    std::vector<ArrayGroup> shared;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      for (const auto &[declaration, own] : flows_[u].declarations) {
        const auto [entry, isNew] =
            numberOf_.try_emplace(root(first_[u] + own), static_cast<std::uint32_t>(shared.size()));
        if (isNew)
          shared.emplace_back().place = flows_[u].groups[own].place;
        ArrayGroup &group = shared[entry->second];
        addOnce(ArrayFlow::nameOf(declaration), group.arrays);
        group.holdsPointers |= !declaration->getType()->isReferenceType();
      }
      for (std::uint32_t g = 0; g < flows_[u].groups.size(); ++g) {
        ArrayGroup &group = shared[numberOf_.at(root(first_[u] + g))];
        merge(flows_[u].groups[g].origins, group.origins);
        for (const auto &flow : flows_[u].groups[g].unknownFlows)
          addOnce(flow, group.unknownFlows);
      }
    }
    return shared;
  }

  const std::vector<ParsedUnit *> &units_;
  std::vector<UnitFlow> flows_;
  std::vector<std::uint32_t> first_; ///< of each unit's groups, in the vectors below
  std::vector<std::uint32_t> parents_;
  std::vector<Origins> origins_;
  std::vector<std::string> records_;
  std::unordered_map<std::uint32_t, std::uint32_t> numberOf_; ///< of a root
};

std::vector<ArrayFlow> ArrayFlow::analyse(const std::vector<ParsedUnit *> &units) {
  return FlowLinker(units).link();
}

} // namespace relayout::instrument
