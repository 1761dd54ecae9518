// SPDX-License-Identifier: Apache-2.0
// Makes a traced program say what it allocates: the group of arrays, how it writes the extents, and
// their values.
#include "host/lowering_edits.h"
#include "probes/extent_notes.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "relayout/instrument/clang/static_arrays.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace relayout::instrument {
namespace {

/// The groups of what is allocated at this place, by the bytes of an element: more than one in a
/// template; kNone where the bytes do not tell.
std::map<std::uint32_t, trace::Index> groupsAt(const ProgramModel &model,
                                               const SourcePlace &place) {
  std::map<std::uint32_t, trace::Index> groups;
  for (const MemoryOperation &operation : model.memory)
    if ((operation.call == MemoryCall::Malloc || operation.call == MemoryCall::MallocHost) &&
        operation.place == place) {
      const auto [known, isNew] =
          groups.try_emplace(model.sites.records[operation.record].bytes, operation.group);
      if (known->second != operation.group)
        known->second = trace::kNone;
    }
  return groups;
}

class AllocationNotes {
public:
  AllocationNotes(const ProgramModel &model, UnitReading &unit)
      : model_(model), unit_(unit), edits_(*unit.host.edits) {}

  void write() {
    noteExtents(unit_, {"::relayout::host::CallersExtents",
                        [this](const FoundMemoryCall &memory, const std::string &lists) {
                          return noteOf(memory, lists);
                        }});
    for (const ArrayGroup &group : unit_.host.found.flow.groups())
      for (const clang::ValueDecl *declaration : group.declarations)
        if (isStaticDeviceArray(*declaration))
          for (const clang::VarDecl *one : clang::cast<clang::VarDecl>(declaration)->redecls())
            makeStaticArray(*one);
        else if (isSharedArray(*declaration))
          noteSharedArray(clang::cast<clang::VarDecl>(*declaration));
  }

private:
  using Index = TokenEdits::Index;

  /// `Body bodies[N];` becomes `Body (&bodies)[N] = …;`, a name for memory among what is allocated:
  /// only accesses to that are recorded.
  void makeStaticArray(const clang::VarDecl &array) {
    const auto row = std::ranges::find(
        model_.staticArrays, unit_.host.unit->place(array.getLocation()), &StaticArray::place);
    const auto type = array.getTypeSourceInfo()->getTypeLoc().castAs<clang::ArrayTypeLoc>();
    const auto name = edits_.indexOf(array.getLocation());
    const auto bracket = edits_.indexOf(type.getRBracketLoc());
    const auto last = edits_.indexOf(array.getEndLoc());
    if (row == model_.staticArrays.end() || !name || !bracket || !last ||
        *last + 1 >= edits_.size() ||
        !edits_.token(*last + 1).isOneOf(clang::tok::semi, clang::tok::comma) ||
        !staticArrays_.insert(*name).second)
      return;
    edits_.wrap(*name, *name, "(&", ")");
    if (array.isThisDeclarationADefinition() == clang::VarDecl::DeclarationOnly)
      return;
    const std::string memory = fmt::format(" = ::relayout::host::staticArray<decltype({})>({}u)",
                                           array.getNameAsString(), row->group);
    if (*last == *bracket)
      edits_.insertAfter(*bracket, memory);
    else
      edits_.replace(*bracket + 1, *last, memory);
  }

  /// `__shared__ Body tile[N];` tells the executor where the worker has its array, in all instances
  /// of a template.
  void noteSharedArray(const clang::VarDecl &array) {
    const auto row = std::ranges::find(
        model_.staticArrays, unit_.host.unit->place(array.getLocation()), &StaticArray::place);
    const auto name = edits_.indexOf(array.getLocation());
    const auto last = edits_.indexOf(array.getEndLoc());
    if (row == model_.staticArrays.end() || !name || !last || *last + 1 >= edits_.size() ||
        !edits_.token(*last + 1).is(clang::tok::semi) || !staticArrays_.insert(*name).second)
      return;
    edits_.insertAfter(*last + 1, fmt::format(" ::relayout::probe::sharedArray({}u, {});",
                                              row->group, array.getNameAsString()));
  }

  [[nodiscard]] std::string noteOf(const FoundMemoryCall &memory, const std::string &lists) const {
    const std::string group = groupOf(memory);
    if (group.empty() && lists.empty())
      return {};
    return fmt::format("::relayout::host::noteAllocation({}, {})",
                       group.empty() ? "0xffffffffu" : group, lists.empty() ? "{}, {}" : lists);
  }

  /// An expression for the group, which in a template depends on what is allocated; empty where it
  /// is not known.
  [[nodiscard]] std::string groupOf(const FoundMemoryCall &memory) const {
    const auto groups = groupsAt(model_, unit_.host.unit->place(memory.call->getBeginLoc()));
    if (groups.size() == 1 && groups.begin()->second != trace::kNone)
      return fmt::format("{}u", groups.begin()->second);
    const clang::Expr *target = memory.call->getArg(0)->IgnoreParenCasts();
    const clang::QualType pointer = target->getType()->getPointeeType();
    const auto first = edits_.indexOf(target->getBeginLoc());
    const auto last = edits_.indexOf(target->getEndLoc());
    if (groups.size() < 2 || !first || !last || pointer.isNull() || !pointer->isPointerType() ||
        pointer->isVoidPointerType())
      return {};
    std::string list;
    for (const auto &[bytes, group] : groups)
      list += fmt::format("{{{}u, {}u}}, ", bytes, group);
    return fmt::format("::relayout::host::groupOfBytes(sizeof(**({})), {{{}}})",
                       edits_.text(*first, *last), list);
  }

  const ProgramModel &model_;
  UnitReading &unit_;
  TokenEdits &edits_;
  std::set<Index> staticArrays_; ///< by their names
};

} // namespace

void noteAllocations(const ProgramModel &model, UnitReading &unit) {
  if (unit.command.language != Language::C) // the notes are C++
    AllocationNotes(model, unit).write();
}

} // namespace relayout::instrument
