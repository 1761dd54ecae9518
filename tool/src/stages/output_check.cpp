// SPDX-License-Identifier: Apache-2.0
// Whether what a rewrite writes compiles where the project is built.
#include "stages/output_check.h"

#include "processes/temporary_folder.h"
#include "stages/stages.h"
#include "stages/unit_compile.h"

#include "relayout/base/run_parallel.h"
#include "relayout/instrument/compile_database.h"
#include "relayout/instrument/included_files.h"
#include "relayout/instrument/program_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

class Checker {
public:
  Checker(const instrument::Program &original, const instrument::Program &rewritten,
          const TemporaryFolder &scratch)
      : original_(original), rewritten_(rewritten), scratch_(scratch),
        failures_(original.units.size()), findings_(original.units.size()),
        own_(original.units.size()) {}

  void check(std::size_t i) {
    const instrument::CompileCommand &before = original_.units[i];
    const instrument::CompileCommand &after = rewritten_.units[i];
    if (hasOwnCompiler(before)) {
      const std::string object = scratch_.file(fmt::format("{}.o", i));
      if (compileUnit(before, buildWords(before, versionOf(before, after)), object, logOf(i))) {
        own_[i] = true;
        return;
      }
      if (compileUnit(before, buildWords(before, {before.file, {}}), object, logOf(i) + ".before"))
        return reject(i, fmt::format("'{}' compiles with '{}' as it was and not as rewritten",
                                     before.file, before.build.words.front()));
      findings_[i] = Diagnostic{
          Severity::Warning,
          Code::NotCompiledByBuild,
          fmt::format("'{}' does not compile by its build's command, not even the original: Clang "
                      "parses it instead",
                      before.file),
          {before.file, 0, 0},
          {}};
    }
    using instrument::parseFailure;
    using instrument::UnusedTemplates;
    auto failure = parseFailure(after, UnusedTemplates::AreRight);
    if (failure && parseFailure(before, UnusedTemplates::AreRight))
      failure = parseFailure(after, UnusedTemplates::MayHaveFaults);
    if (!failure)
      return;
    if (auto earlier = parseFailure(before, UnusedTemplates::MayHaveFaults)) {
      failures_[i] = std::move(*earlier); // the front end passes over some errors
      return;
    }
    reject(i, fmt::format("'{}' does not compile as rewritten: {}", before.file,
                          failure->notes.empty() ? failure->text : failure->notes.front().text));
  }

  Result<OutputCheck> result(const std::string &log) {
    OutputCheck check;
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      if (failures_[i]) {
        std::error_code status;
        fs::create_directories(fs::path(log).parent_path(), status);
        if (fs::exists(logOf(i), status)) {
          fs::copy_file(logOf(i), log, fs::copy_options::overwrite_existing, status);
          failures_[i]->text += fmt::format("; '{}' has the compiler's words", log);
        }
        return tl::unexpected(*failures_[i]);
      }
      if (findings_[i])
        check.findings.push_back(*findings_[i]);
      ++(own_[i] ? check.byOwnCompilers : check.byClang);
    }
    return check;
  }

private:
  [[nodiscard]] std::string logOf(std::size_t i) const {
    return scratch_.file(fmt::format("{}.log", i));
  }
  void reject(std::size_t i, std::string text) {
    failures_[i] =
        Error{Code::OutputRejected, std::move(text), {original_.units[i].file, 0, 0}, {}};
  }

  const instrument::Program &original_;
  const instrument::Program &rewritten_;
  const TemporaryFolder &scratch_;
  std::vector<std::optional<Error>> failures_;
  std::vector<std::optional<Diagnostic>> findings_;
  std::vector<char> own_;
};

} // namespace

std::string OutputCheck::describe() const {
  std::string text = fmt::format("{} unit{} compile{}: ", byOwnCompilers + byClang,
                                 byOwnCompilers + byClang == 1 ? "" : "s",
                                 byOwnCompilers + byClang == 1 ? "s" : "");
  if (byOwnCompilers != 0)
    text +=
        fmt::format("{} with the project's compilers{}", byOwnCompilers, byClang == 0 ? "" : ", ");
  if (byClang != 0)
    text += fmt::format("{} parsed by Clang", byClang);
  return text;
}

Result<OutputCheck> checkOutput(const instrument::Program &original,
                                const instrument::SourceSet &sources, const std::string &log) {
  const auto scratch = TemporaryFolder::make();
  if (!scratch)
    return tl::unexpected(scratch.error());
  const std::string folder = scratch->file("output");
  if (auto written = instrument::writeSources(sources, folder); !written)
    return tl::unexpected(written.error());
  return checkUnits(original, inFolder(original, sources, folder), log);
}

Result<OutputCheck> checkUnits(const instrument::Program &original,
                               const instrument::Program &rewritten, const std::string &log) {
  const auto scratch = TemporaryFolder::make();
  if (!scratch)
    return tl::unexpected(scratch.error());
  Checker checker(original, rewritten, *scratch);
  runParallel(original.units.size(), 0, [&](std::size_t i) { checker.check(i); });
  return checker.result(log);
}

std::vector<Diagnostic> unitsLeftOut(const std::string &database,
                                     const instrument::Program &program,
                                     const instrument::SourceSet &sources) {
  std::vector<Diagnostic> findings;
  if (database.empty())
    return findings;
  const auto known = instrument::readCompileDatabase(database);
  const instrument::CompileCommand &first = program.units.front();
  const auto all = known ? instrument::programOf(*known, {}, {}, {first.cudaHeaders, first.cccl})
                         : Result<instrument::Program>();
  if (!known || !all)
    return findings;
  std::set<std::string> changed;
  for (const instrument::SourceText &file : sources.files)
    if (file.text != file.original)
      changed.insert(file.originalPath);
  const std::vector<std::string> own = filesOf(program);
  for (const instrument::CompileCommand &unit : all->units) {
    if (std::ranges::find(own, unit.file) != own.end())
      continue;
    for (const fs::path &file : instrument::includedFiles(unit))
      if (changed.contains(file.string())) {
        findings.push_back({Severity::Warning,
                            Code::UnitLeftOut,
                            fmt::format("'{}' is not part of the program and includes '{}', which "
                                        "the rewrite changes",
                                        unit.file, file.filename().string()),
                            {unit.file, 0, 0},
                            {}});
        break;
      }
  }
  return findings;
}

} // namespace relayout::tool
