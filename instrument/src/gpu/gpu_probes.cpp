// SPDX-License-Identifier: Apache-2.0
// Puts probes into CUDA source that nvcc goes on to compile.
#include "relayout/instrument/gpu_probes.h"

#include "gpu/device_probes.h"
#include "probes/traced_sources.h"

#include <fmt/format.h>

#include <set>

namespace relayout::instrument {
namespace {

/// Which sites have no counter of their own, and whose they share, as the Registration takes it.
std::string sharedCounts(const Facts &facts) {
  std::string list;
  for (const Point &point : facts.points)
    if (point.countedBy)
      list +=
          fmt::format("{}{{{}u, {}u}}", list.empty() ? "" : ", ", point.id, point.countedBy->id);
  return fmt::format(", {{{}}}", list);
}

/// Tells the runtime what the array is called that a cudaMalloc of records makes.
void nameAllocations(ReadProgram &program) {
  TokenEdits &edits = *program.host.edits;
  std::set<TokenEdits::Index> named;
  for (const FoundMemoryCall &memory : program.host.found.memory) {
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
      edits.wrap(*first, *last,
                 fmt::format("(::relayout::probe::named(\"{}\"), ", ArrayFlow::nameOf(variable)),
                 ")");
  }
}

} // namespace

Result<ProbedProgram> insertGpuProbes(const CompileCommand &command, DeviceCode code) {
  auto read = readProgram(command);
  if (!read)
    return tl::unexpected(std::move(read.error()));
  ReadProgram &program = **read;
  const bool isLinked = code == DeviceCode::Linked;
  const trace::SiteTable &sites = program.model.sites;
  if (auto traceable = checkTraceable(program);
      !traceable && (!isLinked || (sites.kernels.empty() && sites.sites.empty())))
    return tl::unexpected(std::move(traceable.error()));
  if (isLinked) // what is defined elsewhere has probes of its own
    std::erase_if(program.model.findings,
                  [](const Diagnostic &finding) { return finding.code == Code::CallNotFollowed; });
  insertDeviceProbes(program, code);
  nameAllocations(program);
  redirectIncludes(program);
  program.host.edits->keepLines();
  auto sources = program.host.edits->apply();
  if (!sources)
    return tl::unexpected(std::move(sources.error()));

  ProbedProgram probed{std::move(*sources), std::move(program.model)};
  SourceText &main = probed.sources.files.front();
  main.text =
      behind(fmt::format("{}#include \"relayout/device/probe.cuh\"\n",
                         program.facts.loadsPointers ? "#define RELAYOUT_LOADS_POINTERS\n" : ""),
             main.text, command.file) +
      registration(probed.model.sites, sharedCounts(program.facts));
  return probed;
}

} // namespace relayout::instrument
