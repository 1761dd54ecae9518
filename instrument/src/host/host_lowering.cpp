// SPDX-License-Identifier: Apache-2.0
// Lowers a CUDA program to C++ for the CPU executor: reads it, edits its units, puts the files
// together.
#include "relayout/instrument/lowering.h"

#include "host/lowering_edits.h"
#include "parse/parse_faults.h"
#include "probes/traced_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

namespace relayout::instrument {
namespace {

bool isCuda(const UnitReading &unit) { return unit.command.language == Language::Cuda; }

/// Host C++ is what it was, and includes our headers only where one of our calls was put in.
std::string preamble(const UnitReading &unit) {
  const bool needsHeaders =
      isCuda(unit) || std::ranges::any_of(unit.host.found.memory, [](const FoundMemoryCall &call) {
        return call.kind == MemoryCall::Copy || call.kind == MemoryCall::Malloc;
      });
  return needsHeaders ? "#include <cuda_runtime.h>\n" : "";
}

/// Whether a function has so many accesses that inlined probes would take minutes to compile.
bool hasLongFunction(const trace::SiteTable &table) {
  constexpr std::size_t kMostInlined = 150;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> sites;
  return std::ranges::any_of(table.sites, [&](const trace::Site &site) {
    return ++sites[{site.place.file, site.function}] > kMostInlined;
  });
}

Result<void> lowerUnit(UnitReading &unit, std::size_t number, LoweredProgram &lowered) {
  redirectIncludes(unit.host);
  unit.host.edits->keepLines();
  auto sources = unit.host.edits->apply();
  if (!sources)
    return tl::unexpected(std::move(sources.error()));
  const std::string &file = unit.command.file;
  SourceText &main = sources->files.front();
  const bool isC = unit.command.language == Language::C;
  main.relativePath += isC ? ".c" : ".cpp";
  main.text = behind(preamble(unit), main.text, file);
  const std::string folder =
      fmt::format("{}-{}/", number, std::filesystem::path(file).stem().string());
  LoweredUnit &made = lowered.units.emplace_back();
  made.source = file;
  made.file = folder + main.relativePath;
  made.flags = languageFlags(unit.command);
  made.flags.insert(made.flags.begin(), isC ? "-std=gnu17" : "-std=gnu++17");
  const clang::LangOptions &read = unit.host.unit->ast().getLangOpts();
  if (read.CPlusPlus20 && !read.CPlusPlus23) // perhaps for `auto` parameters alone
    made.flags.emplace_back(kWithAutoParameters);
  if (read.DelayedTemplateParsing)
    made.flags.emplace_back(kLateTemplates);
  if (!isCuda(unit))
    made.flags.emplace_back(kHostUnitFlag);
  for (SourceText &text : sources->files) {
    text.relativePath = folder + text.relativePath;
    lowered.sources.files.push_back(std::move(text));
  }
  for (std::string &flag : linkFlagsOf(unit.command.flags)) {
    if (flag.starts_with("-f"))
      made.flags.push_back(flag);
    if (std::ranges::find(lowered.linkFlags, flag) == lowered.linkFlags.end())
      lowered.linkFlags.push_back(std::move(flag));
  }
  return {};
}

/// The unit that hands the runtime the site table of all others.
void addRegistration(LoweredProgram &lowered) {
  SourceText text;
  text.relativePath = "relayout_sites.cpp";
  text.text = "#include \"relayout/host/probe.h\"\n" + registration(lowered.model.sites);
  lowered.units.push_back({{}, text.relativePath, {"-std=gnu++17"}});
  lowered.sources.files.push_back(std::move(text));
}

} // namespace

std::string stringLiteral(llvm::StringRef text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

Result<LoweredProgram> lowerForHost(const ParsedProgram &program, Probes probes) {
  // What runs for comparison is the program as it was given.
  auto read = readProgram(probes == Probes::Trace ? program : program.asWritten());
  if (!read)
    return tl::unexpected(std::move(read.error()));
  if (probes == Probes::Trace)
    if (auto traceable = checkTraceable(**read); !traceable)
      return tl::unexpected(std::move(traceable.error()));
  const RepeatedSymbols repeated = repeatedSymbols(**read);
  std::vector<UnitReading *> units;
  for (const auto &unit : (*read)->units)
    units.push_back(unit.get());
  std::ranges::stable_partition(units, [](const UnitReading *unit) { return isCuda(*unit); });
  const std::vector<ArrayFlow> sides =
      probes == Probes::Trace ? std::vector<ArrayFlow>() : flowsOfEachSide(units);
  LoweredProgram lowered;
  for (std::size_t u = 0; u < units.size(); ++u) {
    UnitReading *const unit = units[u];
    if (auto constructs = lowerCudaConstructs(**read, repeated, *unit); !constructs)
      return tl::unexpected(std::move(constructs.error()));
    if (probes == Probes::Trace) {
      noteAllocations((*read)->model, *unit);
      insertProbes(*unit, (*read)->model.findings);
    } else {
      noteSharedArrays(*unit, sides[u]);
    }
    if (auto done = lowerUnit(*unit, lowered.units.size(), lowered); !done)
      return tl::unexpected(std::move(done.error()));
  }
  lowered.model = std::move((*read)->model);
  if (probes == Probes::Trace) {
    if (hasLongFunction(lowered.model.sites))
      for (LoweredUnit &unit : lowered.units)
        unit.flags.emplace_back("-DRELAYOUT_PROBES_APART");
    addRegistration(lowered);
  } else {
    lowered.model.sites = {};
  }
  return lowered;
}

} // namespace relayout::instrument
