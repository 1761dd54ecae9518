// SPDX-License-Identifier: Apache-2.0
// Joins the facts of a program's translation units as a linker joins objects.
#include "model/linked_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace relayout::instrument {
namespace {

/// Leaves out accesses whose text is something else in another instantiation, where no probe can
/// stand.
void dropUnprobable(UnitReading &unit, const Facts &whole) {
  if (whole.unprobable.empty() && whole.bitFields.empty())
    return;
  Facts &facts = unit.facts;
  const auto isDropped = [&](const Point *point) {
    return isAccess(*point) &&
           (whole.unprobable.contains({point->begin, point->end}) ||
            (!point->bitField && whole.bitFields.contains({point->begin, point->end})));
  };
  for (auto &[place, function] : facts.functions)
    std::erase_if(function.points, isDropped);
  for (ReadUnit *read : {&unit.host, unit.device ? &*unit.device : nullptr})
    if (read)
      for (FunctionInstance &instance : read->found.instances)
        std::erase_if(instance.sites, isDropped);
  for (Point &point : facts.points.all())
    if (isDropped(&point) && !std::exchange(point.record, {}).empty() && !point.isPartner)
      facts.find(Severity::Warning, Code::NotTraceable,
                 "this is no access by reference in every instantiation: not traced", point.place);
}

class Linker {
public:
  explicit Linker(LinkedFacts &linked) : linked_(linked), whole_(linked.whole) {}

  void add(UnitReading &unit) {
    const Facts &facts = unit.facts;
    whole_.allAccesses |= facts.allAccesses;
    whole_.loadsPointers |= facts.loadsPointers;
    whole_.records.insert(facts.records.begin(), facts.records.end());
    for (const auto &[place, function] : facts.functions)
      linked_.functionOf.emplace(&function, &addFunction(place, function));
    for (const Point &point : facts.points.all())
      linked_.pointOf.try_emplace(&point, &addPoint(point));
    for (const Point &point : facts.points.all())
      connect(point);
    for (const auto &[place, function] : facts.functions)
      addOrder(function);
    for (const Diagnostic &finding : facts.findings)
      whole_.find(finding.severity, finding.code, finding.text, finding.where);
    addOutlines(facts);
    for (std::size_t i = 0; i < unit.host.found.instances.size(); ++i)
      linked_.instanceOf.try_emplace(unit.host.found.instances[i].symbol,
                                     InstanceOf{&unit.host, i});
  }

  /// Once all units are in.
  void resolve(UnitReading &unit) {
    for (ReadUnit *read : {&unit.host, unit.device ? &*unit.device : nullptr})
      if (read)
        for (FunctionInstance &instance : read->found.instances)
          for (const OutsideCall &call : instance.outsideCalls)
            resolve(instance, call);
  }

  /// Kernels of one name are rows of one name no more.
  void nameKernels() {
    std::map<std::string, std::vector<SourceFunction *>> byName;
    for (auto &[place, function] : whole_.functions)
      if (function.isKernel)
        byName[function.name].push_back(&function);
    for (const auto &[name, kernels] : byName)
      if (std::ranges::any_of(kernels, [&](const SourceFunction *kernel) {
            return kernel->place.file != kernels.front()->place.file;
          }))
        for (SourceFunction *kernel : kernels)
          kernel->name +=
              fmt::format(" ({})", std::filesystem::path(kernel->place.file).filename().string());
  }

private:
  static void addVersions(const std::vector<trace::Operations> &from,
                          std::vector<trace::Operations> &to) {
    for (const trace::Operations &version : from)
      if (std::ranges::find(to, version) == to.end())
        to.push_back(version);
  }

  /// What several units have alike of a shared header's function is one.
  void addOutlines(const Facts &facts) {
    std::vector<trace::Index> numbers; // of the unit's outlines, in the whole program's
    for (const SourceOutline &from : facts.outlines) {
      SourceOutline to{linked_.functionOf.at(from.source), from.math, from.steps};
      for (OutlineStep &step : to.steps) {
        step.point = linked_.point(step.point);
        if (auto *call = std::get_if<trace::code::Call>(&step.step);
            call && call->outline != trace::kNone)
          call->outline = numbers[call->outline];
      }
      numbers.push_back(whole_.addOutline(std::move(to)));
    }
  }

  SourceFunction &addFunction(const StablePlace &place, const SourceFunction &from) {
    const auto [entry, isNew] = whole_.functions.try_emplace(place);
    SourceFunction &to = entry->second;
    if (isNew) {
      to.name = from.name;
      to.place = from.place;
      to.symbol = from.symbol;
    }
    to.isKernel |= from.isKernel;
    to.takesProbes |= from.takesProbes;
    addVersions(from.operations, to.operations);
    to.liveWords = std::max(to.liveWords, from.liveWords);
    return to;
  }

  Point &addPoint(const Point &from) {
    const auto [entry, isNew] =
        whole_.pointAt.try_emplace({from.begin, from.end, from.kind}, nullptr);
    if (isNew) {
      Point &to = whole_.points.add();
      entry->second = &to;
      to.kind = from.kind;
      to.begin = from.begin;
      to.end = from.end;
      to.place = from.place;
    }
    Point &to = *entry->second;
    if (to.record.empty()) {
      to.record = from.record;
      to.field = from.field;
      to.bytes = from.bytes;
    }
    if (to.group == trace::kNone)
      to.group = from.group;
    to.isPartner |= from.isPartner;
    to.isInPlace |= from.isInPlace;
    to.inHostPass |= from.inHostPass;
    to.inDevicePass |= from.inDevicePass;
    to.isCounted |= from.isCounted;
    addVersions(from.operations, to.operations);
    return to;
  }

  void connect(const Point &from) {
    Point &to = *linked_.pointOf.at(&from);
    if (from.partner)
      to.partner = linked_.point(from.partner);
    if (from.loop)
      to.loop = linked_.point(from.loop);
    if (from.callee)
      to.callee = linked_.functionOf.at(static_cast<const SourceFunction *>(from.callee));
  }

  /// A point that only this unit has goes behind the one before it.
  void addOrder(const SourceFunction &from) {
    SourceFunction &to = *linked_.functionOf.at(&from);
    const std::set<Point *> known(to.points.begin(), to.points.end());
    auto next = to.points.begin();
    for (const Point *own : from.points) {
      Point *const point = linked_.point(own);
      next = known.contains(point) ? std::ranges::find(to.points, point)
                                   : to.points.insert(next, point);
      ++next;
    }
    for (const auto &[callee, loops] : from.callees)
      for (const Point *loop : loops)
        to.callees[linked_.functionOf.at(callee)].insert(linked_.point(loop));
  }

  void resolve(FunctionInstance &instance, const OutsideCall &call) {
    const InstanceOf *definition = linked_.definitionOf(call);
    if (!definition)
      return whole_.find(Severity::Remark, Code::CallNotFollowed,
                         fmt::format("'{}' is defined in another translation unit: it is not "
                                     "followed",
                                     call.name),
                         call.place);
    SourceFunction *const callee = linked_.functionOf.at((**definition).source);
    linked_.functionOf.at(instance.source)->callees[callee].insert(linked_.point(call.loop));
    if (call.point)
      linked_.point(call.point)->callee = callee;
  }

  LinkedFacts &linked_;
  Facts &whole_;
};

} // namespace

LinkedFacts linkFacts(const std::vector<std::unique_ptr<UnitReading>> &units) {
  LinkedFacts linked;
  for (const auto &unit : units) {
    linked.whole.unprobable.insert(unit->facts.unprobable.begin(), unit->facts.unprobable.end());
    linked.whole.bitFields.insert(unit->facts.bitFields.begin(), unit->facts.bitFields.end());
  }
  for (const auto &unit : units)
    dropUnprobable(*unit, linked.whole);
  Linker linker(linked);
  for (const auto &unit : units)
    linker.add(*unit);
  for (const auto &unit : units)
    linker.resolve(*unit);
  linker.nameKernels();
  return linked;
}

} // namespace relayout::instrument
