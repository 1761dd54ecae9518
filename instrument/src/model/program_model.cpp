// SPDX-License-Identifier: Apache-2.0
// Makes the program model of what the passes of the translation units told.
#include "relayout/instrument/program_model.h"

#include "model/pass_findings.h"
#include "model/program_reader.h"
#include "model/single_objects.h"
#include "relayout/instrument/clang/shared_arrays.h"

#include <clang/AST/Attr.h>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace relayout::instrument {

void Facts::find(Severity severity, Code code, std::string text, SourcePlace where) {
  for (const Diagnostic &known : findings)
    if (known.code == code && known.where == where && known.text == text)
      return;
  findings.push_back({severity, code, std::move(text), std::move(where), {}});
}

trace::Index Facts::addOutline(SourceOutline outline) {
  const auto last =
      std::ranges::find(outlines.rbegin(), outlines.rend(), outline.source, &SourceOutline::source);
  if (last != outlines.rend() && *last == outline)
    return static_cast<trace::Index>(outlines.rend() - last - 1);
  outlines.push_back(std::move(outline));
  return static_cast<trace::Index>(outlines.size() - 1);
}

namespace {

/// A function is traced when it holds points itself or calls one that is.
void markTraced(Facts &facts) {
  for (auto &[place, function] : facts.functions)
    function.isTraced =
        function.takesProbes && std::ranges::any_of(function.points, [](const Point *point) {
          return point->kind != PointKind::Call;
        });
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[place, function] : facts.functions)
      if (!function.isTraced && function.takesProbes &&
          std::ranges::any_of(function.callees,
                              [](const auto &entry) { return entry.first->isTraced; }))
        changed = function.isTraced = true;
  }
}

/// Functions that run in kernels with traced accesses.
llvm::DenseSet<const SourceFunction *> functionsBesideAccesses(const Facts &facts) {
  llvm::DenseSet<const SourceFunction *> beside;
  for (const auto &[place, kernel] : facts.functions) {
    if (!kernel.isKernel)
      continue;
    std::vector<const SourceFunction *> reached{&kernel};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const auto &[callee, loops] : reached[i]->callees)
        if (std::ranges::find(reached, callee) == reached.end())
          reached.push_back(callee);
    if (std::ranges::any_of(reached, [](const SourceFunction *function) {
          return std::ranges::any_of(function->points,
                                     [](const Point *point) { return isAccess(*point); });
        }))
      beside.insert(reached.begin(), reached.end());
  }
  return beside;
}

/// Calls of untraced functions, and loops around nothing traced whose arithmetic does not count,
/// need no probe: they stay at id 0.
void numberPoints(Facts &facts) {
  const llvm::DenseSet<const SourceFunction *> beside = functionsBesideAccesses(facts);
  std::uint32_t id = 0;
  for (auto &[place, function] : facts.functions) {
    llvm::DenseSet<const Point *> kept;
    for (const Point *point : function.points) {
      if (point->kind == PointKind::Loop)
        continue;
      const auto *callee = static_cast<const SourceFunction *>(point->callee);
      if (point->kind == PointKind::Call && (!callee || !callee->isTraced || callee->isKernel))
        continue;
      kept.insert(point);
      for (const Point *loop = point->loop; loop; loop = loop->loop)
        kept.insert(loop);
    }
    for (const auto &[callee, loops] : function.callees)
      if (callee->isTraced)
        for (const Point *loop : loops)
          for (; loop; loop = loop->loop)
            kept.insert(loop);
    llvm::DenseSet<const Point *> counted;
    if (beside.contains(&function))
      for (const Point *point : function.points)
        if (point->isCounted && !kept.contains(point))
          counted.insert(point);
    for (const Point *point : counted)
      for (const Point *around = point->loop; around; around = around->loop)
        kept.insert(around);
    for (Point *point : function.points)
      if (kept.contains(point) || counted.contains(point)) {
        point->id = ++id;
        point->isBare = !kept.contains(point);
      }
  }
}

class Builder {
public:
  explicit Builder(ReadProgram &program)
      : program_(program), facts_(program.linked.whole), model_(program.model),
        table_(program.model.sites) {}

  void build() {
    markTraced(facts_);
    numberPoints(facts_);
    numberUnits();
    addGroupsAndRecords();
    addLoopsAndSites();
    for (const auto &[place, function] : facts_.functions)
      if (function.isKernel) {
        kernelOf_[&function] = static_cast<trace::Index>(table_.kernels.size());
        table_.kernels.push_back({function.name, function.place,
                                  trace::choiceOf(function.operations), function.liveWords});
      }
    addOutlines();
    for (const auto &unit : program_.units) {
      addReaches(unit->host);
      if (unit->device)
        addReaches(*unit->device);
    }
    finishReaches();
    for (const auto &unit : program_.units) {
      addLaunches(*unit);
      addMemory(*unit);
      addStaticArrays(*unit);
      comparePasses(*unit, facts_);
      findMentionsInSkippedRegions(*unit, table_.records, facts_);
    }
    model_.findings = facts_.findings;
  }

private:
  /// The units' own points and functions say what the whole program's say.
  void numberUnits() {
    for (const auto &unit : program_.units) {
      for (Point &point : unit->facts.points.all()) {
        point.id = program_.linked.point(&point)->id;
        point.isBare = program_.linked.point(&point)->isBare;
      }
      for (auto &[place, function] : unit->facts.functions)
        function.isTraced =
            function.takesProbes && program_.linked.functionOf.at(&function)->isTraced;
    }
  }

  /// What all units say of the arrays alike.
  [[nodiscard]] const std::vector<ArrayGroup> &groups() const {
    return program_.units.front()->host.found.flow.groups();
  }

  void addGroupsAndRecords() {
    std::set<trace::Index> usedGroups;
    std::set<std::string> usedRecords;
    for (const auto &unit : program_.units)
      recordOfGroup_.insert(unit->host.found.groupRecord.begin(),
                            unit->host.found.groupRecord.end());
    for (const Point &point : facts_.points.all())
      if (!point.record.empty()) {
        usedRecords.insert(point.record.text());
        if (point.group != trace::kNone)
          usedGroups.insert(point.group);
      }
    for (const auto &[group, record] : recordOfGroup_) {
      const Origins &origins = groups()[group].origins;
      if (origins.device || origins.symbol || origins.managed || origins.ownShared)
        usedGroups.insert(group);
      if (usedGroups.contains(group))
        usedRecords.insert(record);
    }
    for (const auto &unit : program_.units)
      for (const FoundMemoryCall &memory : unit->host.found.memory) {
        usedRecords.insert(memory.recordKey);
        if (memory.group != trace::kNone && recordOfGroup_.contains(memory.group)) {
          usedGroups.insert(memory.group);
          usedRecords.insert(recordOfGroup_.at(memory.group));
        }
      }
    leaveSingleObjects(usedGroups);
    leaveConstants(usedGroups);
    std::vector<std::string> ordered(usedRecords.begin(), usedRecords.end());
    std::ranges::stable_sort(ordered, [&](const std::string &a, const std::string &b) {
      const SourcePlace &left = facts_.records[a].place;
      const SourcePlace &right = facts_.records[b].place;
      return std::tie(left.file, left.line, left.column) <
             std::tie(right.file, right.line, right.column);
    });
    for (const std::string &key : ordered) {
      recordOf_[key] = static_cast<trace::Index>(table_.records.size());
      table_.records.push_back(facts_.records[key]);
    }
    for (const trace::Index group : usedGroups) {
      const auto record = recordOfGroup_.find(group);
      if (record == recordOfGroup_.end() || !groups()[group].mayBeDeviceArrays() ||
          groups()[group].isUncalled) // of what the program never runs
        continue;
      groupOf_[group] = static_cast<trace::Index>(table_.groups.size());
      trace::Group row;
      row.record = recordOf_.at(record->second);
      row.arrays = groups()[group].arrays;
      row.place = groups()[group].place;
      row.isShared = groups()[group].origins.ownShared;
      table_.groups.push_back(std::move(row));
    }
  }

  /// Elements of the program's own structs that are allocated one by one. Accesses to them are
  /// like those to any other memory.
  void leaveSingleObjects(std::set<trace::Index> &groups) {
    for (const trace::Index group : singleObjects(program_.units)) {
      const auto record = recordOfGroup_.find(group);
      if (record == recordOfGroup_.end() || facts_.records[record->second].place.file.empty() ||
          groups.erase(group) == 0)
        continue;
      single_.insert(group);
      const ArrayGroup &object = this->groups()[group];
      facts_.find(Severity::Remark, Code::None,
                  fmt::format("'{}' around '{}' is a single object: no layout to choose",
                              facts_.records[record->second].name, object.arrays.front()),
                  object.place);
    }
  }

  /// Arrays in constant memory alone.
  void leaveConstants(std::set<trace::Index> &groups) {
    for (const trace::Index group : std::set(groups)) {
      const auto record = recordOfGroup_.find(group);
      if (record == recordOfGroup_.end() || !isOfConstants(this->groups()[group]))
        continue;
      groups.erase(group);
      single_.insert(group);
      const ArrayGroup &array = this->groups()[group];
      facts_.find(Severity::Remark, Code::None,
                  fmt::format("'{}' around '{}' lies in constant memory, which gives a warp one "
                              "address at a time: no layout to choose",
                              facts_.records[record->second].name, array.arrays.front()),
                  array.place);
    }
  }

  static bool isOfConstants(const ArrayGroup &group) {
    const Origins &origins = group.origins;
    return origins.symbol && !origins.device && !origins.managed && !origins.pinned &&
           !origins.host && !origins.unknown &&
           std::ranges::any_of(group.declarations, [](const clang::ValueDecl *declaration) {
             return declaration->hasAttr<clang::CUDAConstantAttr>() &&
                    declaration->getType()->isArrayType();
           });
  }

  void addLoopsAndSites() {
    for (const auto &[place, function] : facts_.functions)
      for (const Point *point : function.points)
        if (point->kind == PointKind::Loop && point->id != 0) {
          loopOf_[point] = static_cast<trace::Index>(table_.loops.size());
          table_.loops.push_back({point->id, loopIndex(point->loop), function.name, point->place,
                                  trace::choiceOf(point->operations)});
        }
    for (const auto &[place, function] : facts_.functions)
      for (const Point *point : function.points) {
        if (point->kind == PointKind::Loop || point->kind == PointKind::Call)
          continue;
        trace::Site site;
        site.id = point->id;
        site.kind = point->kind == PointKind::Read    ? trace::AccessKind::Read
                    : point->kind == PointKind::Write ? trace::AccessKind::Write
                                                      : trace::AccessKind::Atomic;
        const bool isOfArray = !point->record.empty() && !single_.contains(point->group);
        if (isOfArray)
          site.record = recordOf_.at(point->record.text());
        site.group = groupIndex(point->group, site.record);
        site.field = isOfArray ? point->field : trace::kNone;
        site.loop = loopIndex(point->loop);
        site.bytes = point->bytes;
        site.function = function.name;
        site.place = point->place;
        siteOf_[point] = static_cast<trace::Index>(table_.sites.size());
        table_.sites.push_back(std::move(site));
      }
  }

  void addOutlines() {
    for (const SourceOutline &outline : facts_.outlines) {
      trace::CodeOutline row{outline.source->name, outline.source->isKernel, outline.math, {}};
      for (const OutlineStep &step : outline.steps) {
        trace::code::Step placed = step.step;
        if (auto *access = std::get_if<trace::code::Access>(&placed)) {
          const auto site = siteOf_.find(step.point);
          if (site == siteOf_.end())
            continue; // is not traced
          access->site = site->second;
        } else if (const auto loop = loopOf_.find(step.point); loop != loopOf_.end()) {
          if (auto *begin = std::get_if<trace::code::Loop>(&placed))
            begin->loop = loop->second;
          else if (auto *single = std::get_if<trace::code::SingleTrip>(&placed))
            single->loop = loop->second;
        }
        row.steps.push_back(std::move(placed));
      }
      table_.outlines.push_back(std::move(row));
    }
  }

  [[nodiscard]] trace::Index loopIndex(const Point *loop) const {
    while (loop && loop->id == 0)
      loop = loop->loop;
    return loop ? loopOf_.at(loop) : trace::kNone;
  }

  [[nodiscard]] trace::Index groupIndex(trace::Index group, trace::Index record) const {
    const auto found = groupOf_.find(group);
    // A group of another record would come from a cast that the flow looked through.
    if (found == groupOf_.end() || table_.groups[found->second].record != record)
      return trace::kNone;
    return found->second;
  }

  [[nodiscard]] static int depthOf(const Point *loop) {
    int depth = 0;
    for (; loop; loop = loop->loop)
      ++depth;
    return depth;
  }

  struct Inherited {
    const Point *loop = nullptr;
    int depth = 0;
  };

  void addReaches(const ReadUnit &read) {
    for (const std::size_t kernel : read.found.kernels) {
      std::map<InstanceOf, int> deepest;
      std::set<InstanceOf> path;
      const SourceFunction *source = read.found.instances[kernel].source;
      const trace::Index row = kernelOf_.at(program_.linked.functionOf.at(source));
      descend(row, {&read, kernel}, {}, deepest, path);
      std::uint32_t &shared = table_.kernels[row].staticSharedBytes;
      shared = std::max(shared, sharedBytesOf({&read, kernel}));
    }
  }

  /// Of the functions that an instance runs.
  [[nodiscard]] std::uint32_t sharedBytesOf(InstanceOf kernel) const {
    std::vector<InstanceOf> reached{kernel};
    const auto reach = [&reached](InstanceOf callee) {
      if (std::ranges::find(reached, callee) == reached.end())
        reached.push_back(callee);
    };
    std::uint32_t bytes = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const InstanceOf at = reached[i];
      bytes += (*at).sharedBytes;
      for (const CallEdge &edge : (*at).calls)
        reach({at.read, edge.callee});
      for (const OutsideCall &call : (*at).outsideCalls)
        if (const InstanceOf *definition = program_.linked.definitionOf(call))
          reach(*definition);
    }
    return bytes;
  }

  void descend(trace::Index kernel, InstanceOf at, Inherited inherited,
               std::map<InstanceOf, int> &deepest, std::set<InstanceOf> &path) {
    const auto [best, isNew] = deepest.try_emplace(at, inherited.depth);
    if (!isNew && best->second >= inherited.depth)
      return;
    best->second = inherited.depth;
    if (!path.insert(at).second)
      return;
    const LinkedFacts &linked = program_.linked;
    const FunctionInstance &instance = *at;
    for (const Point *own : instance.sites) {
      const Point *site = linked.point(own);
      const Inherited around = {site->loop ? site->loop : inherited.loop,
                                inherited.depth + depthOf(site->loop)};
      const auto [reach, first] = reaches_.try_emplace({kernel, siteOf_.at(site)}, around);
      if (!first && around.depth > reach->second.depth)
        reach->second = around;
    }
    const auto follow = [&](InstanceOf callee, const Point *ownLoop) {
      const Point *loop = linked.point(ownLoop);
      descend(kernel, callee, {loop ? loop : inherited.loop, inherited.depth + depthOf(loop)},
              deepest, path);
    };
    for (const CallEdge &edge : instance.calls)
      follow({at.read, edge.callee}, edge.loop);
    for (const OutsideCall &call : instance.outsideCalls)
      if (const InstanceOf *definition = linked.definitionOf(call))
        follow(*definition, call.loop);
    path.erase(at);
  }

  void finishReaches() {
    for (const auto &[key, around] : reaches_)
      table_.reaches.push_back({key.first, key.second, loopIndex(around.loop)});
  }

  void addLaunches(const UnitReading &unit) {
    for (const FoundLaunch &launch : unit.host.found.launches) {
      LaunchSite site;
      site.function = launch.function;
      site.place = unit.host.unit->place(launch.call->getBeginLoc());
      if (launch.kernel)
        site.kernel = relayout::instrument::kernelOf(program_, unit, launch.kernel);
      const auto same = std::ranges::find_if(model_.launches, [&](const LaunchSite &known) {
        return known.place == site.place && known.kernel == site.kernel;
      });
      if (same == model_.launches.end())
        model_.launches.push_back(std::move(site));
    }
  }

  void addMemory(const UnitReading &unit) {
    for (const FoundMemoryCall &found : unit.host.found.memory) {
      MemoryOperation operation;
      operation.call = found.kind;
      operation.callee = found.callee;
      operation.record = recordOf_.at(found.recordKey);
      operation.group = groupIndex(found.group, operation.record);
      operation.place = unit.host.unit->place(found.call->getBeginLoc());
      const auto same = std::ranges::find_if(model_.memory, [&](const MemoryOperation &known) {
        return known.place == operation.place && known.callee == operation.callee &&
               known.record == operation.record && known.group == operation.group;
      });
      if (same == model_.memory.end())
        model_.memory.push_back(std::move(operation));
    }
  }

  /// Each declaration of one.
  void addStaticArrays(const UnitReading &unit) {
    for (trace::Index group = 0; group < groups().size(); ++group)
      for (const clang::ValueDecl *declaration :
           unit.host.found.flow.groups()[group].declarations) {
        if (!isArrayVariable(*declaration) || !groupOf_.contains(group))
          continue;
        for (const clang::VarDecl *one : clang::cast<clang::VarDecl>(declaration)->redecls())
          model_.staticArrays.push_back({ArrayFlow::nameOf(declaration), groupOf_.at(group),
                                         unit.host.unit->place(one->getLocation())});
      }
  }

  ReadProgram &program_;
  Facts &facts_;
  ProgramModel &model_;
  trace::SiteTable &table_;
  std::map<trace::Index, std::string> recordOfGroup_;
  std::set<trace::Index> single_; ///< groups that are no arrays
  std::map<std::string, trace::Index> recordOf_;
  std::map<trace::Index, trace::Index> groupOf_;
  llvm::DenseMap<const Point *, trace::Index> loopOf_;
  llvm::DenseMap<const Point *, trace::Index> siteOf_;
  std::map<const SourceFunction *, trace::Index> kernelOf_;
  std::map<std::pair<trace::Index, trace::Index>, Inherited> reaches_;
};

} // namespace

void makeModel(ReadProgram &program) { Builder(program).build(); }

} // namespace relayout::instrument
