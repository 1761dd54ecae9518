// SPDX-License-Identifier: Apache-2.0
// Puts probes into CUDA source that nvcc goes on to compile.
#include "relayout/instrument/gpu_probes.h"

#include "gpu/device_probes.h"
#include "gpu/kernel_twins.h"
#include "probes/extent_notes.h"
#include "probes/traced_sources.h"
#include "relayout/instrument/clang/static_arrays.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

namespace relayout::instrument {
namespace {

/// Which sites have no counter of their own, and whose they share, as the Registration takes them.
std::string sharedCounts(const Facts &facts) {
  std::string list;
  for (const Point &point : facts.points.all())
    if (point.countedBy)
      list +=
          fmt::format("{}{{{}u, {}u}}", list.empty() ? "" : ", ", point.id, point.countedBy->id);
  return fmt::format("{{{}}}", list);
}

/// The arrays in device memory that the unit defines, as the Registration takes them.
std::string staticArrays(const UnitReading &unit) {
  std::string list;
  for (const ArrayGroup &group : unit.host.found.flow.groups())
    for (const clang::ValueDecl *declaration : group.declarations) {
      if (!isStaticDeviceArray(*declaration) ||
          !clang::cast<clang::VarDecl>(declaration)->getDefinition())
        continue;
      const std::string name = ArrayFlow::nameOf(declaration);
      list += fmt::format("{0}{{\"{1}\", sizeof(::{1}), &::{1}}}", list.empty() ? "" : ", ", name);
    }
  return fmt::format("{{{}}}", list);
}

/// Tells the runtime what the array is called that a cudaMalloc of records makes.
/// \param naming  the function that does so
void nameAllocations(UnitReading &unit, std::string_view naming) {
  TokenEdits &edits = *unit.host.edits;
  std::set<TokenEdits::Index> named;
  for (const FoundMemoryCall &memory : unit.host.found.memory) {
    if (memory.kind != MemoryCall::Malloc || memory.call->getNumArgs() == 0)
      continue;
    const clang::Expr *target = memory.call->getArg(0)->IgnoreParenCasts();
    if (const auto *address = clang::dyn_cast<clang::UnaryOperator>(target))
      target = address->getSubExpr()->IgnoreParenCasts();
    const clang::ValueDecl *variable = nullptr;
    if (const auto *name = clang::dyn_cast<clang::DeclRefExpr>(target))
      variable = name->getDecl();
    else if (const auto *member = clang::dyn_cast<clang::MemberExpr>(target))
      variable = member->getMemberDecl();
    const auto first = edits.indexOf(memory.call->getBeginLoc());
    const auto last = edits.indexOf(memory.call->getEndLoc());
    // The instantiations of a template share one text.
    if (variable && first && last && named.insert(*first).second)
      edits.wrap(*first, *last, fmt::format("({}(\"{}\"), ", naming, ArrayFlow::nameOf(variable)),
                 ")");
  }
}

/// Whether headers of CUDA's bring kernels, which call what they are given.
bool bringsKernels(UnitReading &unit) {
  const clang::SourceManager &sources = unit.host.unit->sources();
  return std::any_of(sources.fileinfo_begin(), sources.fileinfo_end(), [](const auto &file) {
    const llvm::StringRef name = file.first.getName();
    return name.contains("/thrust/") || name.contains("/cub/");
  });
}

/// What a unit has in front: nvcc compiles probes, and host compilers notes of allocations.
std::string opening(UnitReading &unit) {
  switch (unit.command.language) {
  case Language::Cuda:
    return fmt::format("{}{}#include \"relayout/device/probe.cuh\"\n",
                       unit.facts.loadsPointers ? "#define RELAYOUT_LOADS_POINTERS\n" : "",
                       bringsKernels(unit) ? "#define RELAYOUT_OTHER_KERNELS\n" : "");
  case Language::Cxx:
    return "#include \"relayout/device/allocations.h\"\n";
  case Language::C:
    return "void relayoutGpuName(const char *);\n";
  }
  return {};
}

/// \returns  the path of the unit's main file
Result<std::string> probeUnit(UnitReading &unit, DeviceCode code, const trace::SiteTable &sites,
                              const std::string &folder, SourceSet &probed) {
  const bool isCuda = unit.command.language == Language::Cuda;
  if (isCuda)
    insertDeviceProbes(unit, code);
  nameAllocations(unit, unit.command.language == Language::C ? "relayoutGpuName"
                                                             : "::relayout::probe::named");
  noteExtents(unit, {"::relayout::probe::CallersExtents",
                     [](const FoundMemoryCall &memory, const std::string &lists) {
                       const bool isNoted = memory.kind == MemoryCall::Malloc && !lists.empty();
                       return isNoted ? fmt::format("::relayout::probe::noteExtents({})", lists)
                                      : std::string();
                     }});
  return addEditedUnit(
      unit,
      {opening(unit),
       isCuda ? registration(sites, fmt::format(", {}, {}, {}", sharedCounts(unit.facts),
                                                staticArrays(unit), twinRows(unit)))
              : std::string()},
      folder, probed);
}

} // namespace

Result<ProbedProgram> insertGpuProbes(const Program &program, DeviceCode code) {
  auto read = readProgram(program);
  if (!read)
    return tl::unexpected(std::move(read.error()));
  ProgramModel &model = (*read)->model;
  const bool isLinked = code == DeviceCode::Linked;
  if (auto traceable = checkTraceable(**read);
      !traceable && (!isLinked || (model.sites.kernels.empty() && model.sites.sites.empty())))
    return tl::unexpected(std::move(traceable.error()));
  if (isLinked) // what is defined elsewhere has probes of its own
    std::erase_if(model.findings,
                  [](const Diagnostic &finding) { return finding.code == Code::CallNotFollowed; });
  ProbedProgram probed;
  for (const auto &unit : (*read)->units) {
    const std::string folder =
        (*read)->units.size() == 1 ? std::string() : fmt::format("unit{}/", probed.files.size());
    auto file = probeUnit(*unit, code, model.sites, folder, probed.sources);
    if (!file)
      return tl::unexpected(std::move(file.error()));
    probed.files.push_back(std::move(*file));
  }
  probed.model = std::move(model);
  return probed;
}

} // namespace relayout::instrument
