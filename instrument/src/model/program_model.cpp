// SPDX-License-Identifier: Apache-2.0
// Makes the program model of what the passes of one translation unit told.
#include "relayout/instrument/program_model.h"

#include "model/program_reader.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/Basic/CharInfo.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace relayout::instrument {

void Facts::find(Severity severity, Code code, std::string text, SourcePlace where) {
  for (const Diagnostic &known : findings)
    if (known.code == code && known.where == where && known.text == text)
      return;
  findings.push_back({severity, std::move(code), std::move(text), std::move(where), {}});
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

/// Leaves out accesses whose text is something else in another instantiation, where no probe can
/// stand.
void dropUnprobable(ReadProgram &program) {
  Facts &facts = program.facts;
  const auto isDropped = [&facts](const Point *point) {
    return point->kind != PointKind::Loop && point->kind != PointKind::Call &&
           facts.unprobable.contains({point->begin, point->end});
  };
  for (auto &[place, function] : facts.functions)
    std::erase_if(function.points, isDropped);
  for (ReadUnit *unit : {&program.host, program.device ? &*program.device : nullptr})
    if (unit)
      for (FunctionInstance &instance : unit->found.instances)
        std::erase_if(instance.sites, isDropped);
  for (Point &point : facts.points)
    if (isDropped(&point) && !std::exchange(point.record, {}).empty() && !point.isPartner)
      facts.find(Severity::Warning, Code::NotTraceable,
                 "this is no access by reference in every instantiation: not traced", point.place);
}

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

/// Calls of untraced functions and loops around nothing traced need no probe: they stay at id 0.
void numberPoints(Facts &facts) {
  std::uint32_t id = 0;
  for (auto &[place, function] : facts.functions) {
    std::set<const Point *> kept;
    for (const Point *point : function.points) {
      if (point->kind == PointKind::Loop)
        continue;
      const auto *callee = static_cast<const SourceFunction *>(point->callee);
      if (point->kind == PointKind::Call && (!callee->isTraced || callee->isKernel))
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
    for (Point *point : function.points)
      if (kept.contains(point))
        point->id = ++id;
  }
}

class Builder {
public:
  explicit Builder(ReadProgram &program)
      : program_(program), facts_(program.facts), model_(program.model),
        table_(program.model.sites) {}

  void build() {
    dropUnprobable(program_);
    markTraced(facts_);
    numberPoints(facts_);
    addGroupsAndRecords();
    addLoopsAndSites();
    for (const auto &[place, function] : facts_.functions)
      if (function.isKernel) {
        kernelOf_[&function] = static_cast<trace::Index>(table_.kernels.size());
        table_.kernels.push_back({function.name, function.place,
                                  trace::choiceOf(function.operations), function.liveWords});
      }
    addOutlines();
    addReaches(program_.host);
    if (program_.device)
      addReaches(*program_.device);
    finishReaches();
    addLaunches();
    addMemory();
    comparePasses();
    mentionsInSkippedRegions();
    model_.findings = facts_.findings;
  }

private:
  void addGroupsAndRecords() {
    const UnitFacts &found = program_.host.found;
    std::set<trace::Index> usedGroups;
    std::set<std::string> usedRecords;
    for (const Point &point : facts_.points)
      if (!point.record.empty()) {
        usedRecords.insert(point.record);
        if (point.group != trace::kNone)
          usedGroups.insert(point.group);
      }
    for (const auto &[group, record] : found.groupRecord) {
      const Origins &origins = found.flow->groups()[group].origins;
      if (origins.device || origins.symbol || origins.managed)
        usedGroups.insert(group);
      if (usedGroups.contains(group))
        usedRecords.insert(record);
    }
    WalkContext context = hostContext();
    for (const FoundMemoryCall &memory : found.memory) {
      usedRecords.insert(context.recordKey(memory.record));
      if (memory.group != trace::kNone && found.groupRecord.contains(memory.group)) {
        usedGroups.insert(memory.group);
        usedRecords.insert(found.groupRecord.at(memory.group));
      }
    }
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
      const auto record = found.groupRecord.find(group);
      if (record == found.groupRecord.end())
        continue;
      const ArrayGroup &arrays = found.flow->groups()[group];
      if (!arrays.mayBeDeviceArrays())
        continue;
      groupOf_[group] = static_cast<trace::Index>(table_.groups.size());
      trace::Group row;
      row.record = recordOf_.at(record->second);
      for (const clang::ValueDecl *declaration : arrays.declarations)
        if (std::string name = ArrayFlow::nameOf(declaration);
            std::ranges::find(row.arrays, name) == row.arrays.end())
          row.arrays.push_back(std::move(name));
      if (!arrays.declarations.empty())
        row.place = program_.host.unit->place(arrays.declarations.front()->getLocation());
      table_.groups.push_back(std::move(row));
    }
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
        if (!point->record.empty())
          site.record = recordOf_.at(point->record);
        site.group = groupIndex(point->group, site.record);
        site.field = point->field;
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
      std::map<std::size_t, int> deepest;
      std::set<std::size_t> path;
      descend(read.found, kernelOf_.at(read.found.instances[kernel].source), kernel, {}, deepest,
              path);
    }
  }

  void descend(const UnitFacts &found, trace::Index kernel, std::size_t index, Inherited inherited,
               std::map<std::size_t, int> &deepest, std::set<std::size_t> &path) {
    const auto [best, isNew] = deepest.try_emplace(index, inherited.depth);
    if (!isNew && best->second >= inherited.depth)
      return;
    best->second = inherited.depth;
    if (!path.insert(index).second)
      return;
    const FunctionInstance &instance = found.instances[index];
    for (const Point *site : instance.sites) {
      const Inherited around = {site->loop ? site->loop : inherited.loop,
                                inherited.depth + depthOf(site->loop)};
      const auto [reach, first] = reaches_.try_emplace({kernel, siteOf_.at(site)}, around);
      if (!first && around.depth > reach->second.depth)
        reach->second = around;
    }
    for (const CallEdge &edge : instance.calls)
      descend(found, kernel, edge.callee,
              {edge.loop ? edge.loop : inherited.loop, inherited.depth + depthOf(edge.loop)},
              deepest, path);
    path.erase(index);
  }

  void finishReaches() {
    for (const auto &[key, around] : reaches_)
      table_.reaches.push_back({key.first, key.second, loopIndex(around.loop)});
  }

  void addLaunches() {
    for (const FoundLaunch &launch : program_.host.found.launches) {
      LaunchSite site;
      site.function = launch.function;
      site.place = program_.host.unit->place(launch.call->getBeginLoc());
      if (launch.kernel) {
        const auto function =
            facts_.functions.find(hostContext().stable(launch.kernel->getLocation()));
        if (function != facts_.functions.end())
          if (const auto kernel = kernelOf_.find(&function->second); kernel != kernelOf_.end())
            site.kernel = kernel->second;
      }
      const auto same = std::ranges::find_if(model_.launches, [&](const LaunchSite &known) {
        return known.place == site.place && known.kernel == site.kernel;
      });
      if (same == model_.launches.end())
        model_.launches.push_back(std::move(site));
    }
  }

  void addMemory() {
    WalkContext context = hostContext();
    for (const FoundMemoryCall &found : program_.host.found.memory) {
      MemoryOperation operation;
      operation.call = found.kind;
      operation.callee = found.callee;
      operation.record = recordOf_.at(context.recordKey(found.record));
      operation.group = groupIndex(found.group, operation.record);
      operation.place = program_.host.unit->place(found.call->getBeginLoc());
      const auto same = std::ranges::find_if(model_.memory, [&](const MemoryOperation &known) {
        return known.place == operation.place && known.callee == operation.callee &&
               known.record == operation.record;
      });
      if (same == model_.memory.end())
        model_.memory.push_back(std::move(operation));
    }
  }

  /// The executor runs the host's version of everything.
  void comparePasses() {
    if (!program_.device)
      return;
    for (const auto &[place, function] : facts_.functions)
      if (function.hostText != function.deviceText)
        facts_.find(Severity::Warning, Code::CudaArchText,
                    fmt::format("'{}' differs where __CUDA_ARCH__ is defined: the CPU executor "
                                "runs the version without it",
                                function.name),
                    function.place);
  }

  void mentionsInSkippedRegions() {
    std::set<StablePlace> skippedOnDevice;
    if (program_.device)
      for (const clang::SourceRange &range : program_.device->unit->skippedRanges())
        skippedOnDevice.insert(plainPlace(*program_.device->unit, range.getBegin()));
    ParsedUnit &unit = *program_.host.unit;
    for (const clang::SourceRange &range : unit.skippedRanges()) {
      if (program_.device && !skippedOnDevice.contains(plainPlace(unit, range.getBegin())))
        continue;
      const llvm::StringRef text = clang::Lexer::getSourceText(
          clang::CharSourceRange::getCharRange(range), unit.sources(), unit.ast().getLangOpts());
      for (const trace::Record &record : table_.records)
        if (!isVectorTypeName(record.name) && mentions(text, record.name)) {
          facts_.find(
              Severity::Remark, Code::InactiveCode,
              fmt::format("'{}' is mentioned in code that this build leaves out", record.name),
              unit.place(range.getBegin()));
          break;
        }
    }
  }

  static StablePlace plainPlace(ParsedUnit &unit, clang::SourceLocation location) {
    const SourcePlace place = unit.place(location);
    return {place.file, unit.sources().getFileOffset(location), 0};
  }

  /// True if the record's own name stands in the text as a word.
  static bool mentions(llvm::StringRef text, llvm::StringRef qualified) {
    llvm::StringRef name = qualified.substr(0, qualified.find('<'));
    name = name.substr(name.rfind(':') == llvm::StringRef::npos ? 0 : name.rfind(':') + 1);
    if (name.empty())
      return false;
    for (std::size_t at = text.find(name); at != llvm::StringRef::npos;
         at = text.find(name, at + 1)) {
      const bool startsWord = at == 0 || !clang::isAsciiIdentifierContinue(text[at - 1]);
      const std::size_t end = at + name.size();
      if (startsWord && (end == text.size() || !clang::isAsciiIdentifierContinue(text[end])))
        return true;
    }
    return false;
  }

  WalkContext hostContext() {
    return {*program_.host.unit, *program_.host.edits, facts_, true,
            [](const clang::Expr *) { return trace::kNone; }};
  }

  ReadProgram &program_;
  Facts &facts_;
  ProgramModel &model_;
  trace::SiteTable &table_;
  std::map<std::string, trace::Index> recordOf_;
  std::map<trace::Index, trace::Index> groupOf_;
  std::map<const Point *, trace::Index> loopOf_;
  std::map<const Point *, trace::Index> siteOf_;
  std::map<const SourceFunction *, trace::Index> kernelOf_;
  std::map<std::pair<trace::Index, trace::Index>, Inherited> reaches_;
};

} // namespace

Result<std::unique_ptr<ReadProgram>> readProgram(const CompileCommand &command) {
  auto host = parse(command, Pass::Host);
  if (!host)
    return tl::unexpected(std::move(host.error()));
  auto program = std::make_unique<ReadProgram>();
  program->model.sites.sourceFile = command.file;
  program->model.sites.sourceDigest = sourceDigest((*host)->userSources());
  const bool needsDevicePass = (*host)->usesCudaArch();
  program->facts.allAccesses = command.allAccesses;
  program->host = readUnit(std::move(*host), Pass::Host, program->facts);
  if (needsDevicePass) {
    auto device = parse(command, Pass::Device);
    if (!device)
      return tl::unexpected(std::move(device.error()));
    program->device = readUnit(std::move(*device), Pass::Device, program->facts);
  }
  Builder(*program).build();
  return program;
}

Result<void> checkTraceable(const ReadProgram &program) {
  const trace::SiteTable &table = program.model.sites;
  const SourcePlace file = {table.sourceFile, 0, 0};
  if (table.kernels.empty())
    return fail(Code::NoKernel,
                "no kernel: no __global__ function is defined (or instantiated) here", file);
  bool reached = false;
  for (const std::size_t kernel : program.host.found.kernels)
    reached |= program.host.found.instances[kernel].takesRecordPointers;
  // Records may also come in untyped and be cast, or be __device__ variables.
  for (const FunctionInstance &instance : program.host.found.instances)
    reached |= instance.pointerRooted;
  if (!table.reaches.empty() && reached)
    return {};
  std::vector<Note> notes; // what touches records in ways that are not accesses to members
  for (const Diagnostic &finding : program.model.findings)
    if (finding.severity == Severity::Warning)
      notes.push_back({finding.where, finding.text});
  std::string text = fmt::format(
      "no array of records reaches a kernel: looked for accesses to members of a struct or class "
      "of the program's own through a pointer, an array or a reference in {} kernel{} and the "
      "functions they call{}",
      table.kernels.size(), table.kernels.size() == 1 ? "" : "s",
      notes.empty() ? "" : "; these touch records in other ways");
  return fail(Code::NoRecordArray, std::move(text), file, std::move(notes));
}

Result<ProgramModel> buildProgramModel(const CompileCommand &command) {
  auto program = readProgram(command);
  if (!program)
    return tl::unexpected(std::move(program.error()));
  if (auto traceable = checkTraceable(**program); !traceable)
    return tl::unexpected(std::move(traceable.error()));
  return std::move((*program)->model);
}

} // namespace relayout::instrument
