// SPDX-License-Identifier: Apache-2.0
// `relayout rewrite FILE.cu --plan PLAN`: applies a plan, as a diff, into a folder, or in
// place.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/files.h"
#include "processes/install_paths.h"
#include "processes/nvcc.h"
#include "processes/temporary_folder.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "reports/kept_arrays.h"
#include "stages/generated_by.h"
#include "stages/in_place.h"
#include "stages/output_check.h"
#include "stages/patch.h"
#include "stages/program_inputs.h"

#include "relayout/analysis/plan/uniform_plan.h"
#include "relayout/instrument/included_files.h"
#include "relayout/instrument/program_model.h"
#include "relayout/rewriter/header.h"
#include "relayout/rewriter/rewrite.h"
#include "relayout/rewriter/thread_roles.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

/// Says what a layout asked for by name leaves as it is, and why.
void printLeftAlone(const instrument::ProgramModel &model, const analysis::Plan &plan) {
  for (const Diagnostic &finding : model.findings)
    if (finding.code == Code::None) // a single object
      fmt::print(stderr, "{}:{}:{}: note: {}\n", finding.where.file, finding.where.line,
                 finding.where.column, finding.text);
  printKeptArrays(model.sites, plan);
}

Result<analysis::Plan> loadOrMakePlan(const std::string &planFile, const std::string &layout,
                                      const instrument::ParsedProgram &program) {
  if (!layout.empty()) {
    auto model = instrument::buildProgramModel(program, instrument::CodeDetail::LeftOut);
    if (!model)
      return tl::unexpected(model.error());
    auto plan = analysis::fixedPlan(model->sites, layout);
    if (plan)
      printLeftAlone(*model, *plan);
    return plan;
  }
  auto text = readFile(planFile);
  if (!text)
    return tl::unexpected(text.error());
  return inFile(analysis::planFromJson(*text), planFile);
}

struct RewriteOptions {
  ProgramInputs inputs{.mayBeSeveral = true};
  std::string plan, layout, folder, fixes;
  bool remap = false;
  bool write = false;
  bool allowDirty = false;
};

/// What was asked for: the plan, and the program after it; or other roles of threads.
Result<rewriter::Rewrite> apply(const RewriteOptions &options,
                                const instrument::ParsedProgram &program) {
  if (options.remap) {
    auto exchanged =
        rewriter::exchangeThreadRoles(program, [](const std::string &) { return true; });
    if (!exchanged)
      return tl::unexpected(exchanged.error());
    return std::move(exchanged->rewrite);
  }
  auto plan = loadOrMakePlan(options.plan, options.layout, program);
  if (!plan)
    return tl::unexpected(plan.error());
  return rewriter::rewritePartially(program, *plan);
}

/// The same for programs that use what our own CUDA headers lack: read with the toolkit's.
Result<rewriter::Rewrite> applyWithAnyHeaders(const RewriteOptions &options,
                                              instrument::Program program) {
  auto rewrite = apply(options, program);
  if (rewrite || !toolkitMayHelp(rewrite.error()))
    return rewrite;
  const auto nvcc = findNvcc();
  const auto scratch = TemporaryFolder::make();
  if (!nvcc || !scratch)
    return rewrite;
  const std::string toolkit = toolkitOf(*nvcc, program.units.front().file, scratch->file("nvcc"));
  for (instrument::CompileCommand &unit : program.units)
    unit.cudaToolkit = toolkit;
  return toolkit.empty() ? std::move(rewrite) : apply(options, program);
}

/// Edits as YAML. That format makes no new files, so these are written to their places, where
/// nothing includes them yet.
Result<void> exportFixes(const instrument::SourceSet &sources, const std::string &file) {
  instrument::SourceSet added;
  for (const instrument::SourceText &source : sources.files)
    if (source.originalPath.empty())
      added.files.push_back(source);
  const std::string root = sourceRoot(sources);
  for (const instrument::SourceText &source : added.files)
    if (std::filesystem::exists(root + source.relativePath))
      return fail(Code::FileUnwritable, fmt::format("cannot write '{}{}': a file exists there",
                                                    root, source.relativePath));
  if (auto written = instrument::writeSources(added, root); !written)
    return written;
  for (const instrument::SourceText &source : added.files)
    fmt::print(stderr, "wrote {}{}\n", root, source.relativePath);
  return writeReplacements(sources, file);
}

/// Whether a rewrite changes the files to what an earlier one made of them, by whichever command.
bool isSame(const instrument::SourceSet &earlier, const instrument::SourceSet &now) {
  std::map<std::string, std::string> texts;
  for (const instrument::SourceText &file : now.files)
    if (file.text != file.original || file.originalPath.empty())
      texts[file.relativePath] = file.text;
  return texts.size() == earlier.files.size() &&
         std::ranges::all_of(earlier.files, [&](const instrument::SourceText &file) {
           const auto text = texts.find(file.relativePath);
           return text != texts.end() && withoutCommand(text->second) == withoutCommand(file.text);
         });
}

Result<void> writeOut(const RewriteOptions &options, const instrument::SourceSet &sources) {
  if (!options.folder.empty()) {
    if (auto written = instrument::writeSources(sources, options.folder); !written)
      return written;
    answer("folder", options.folder);
    fmt::print(stderr, "written to {}\n", options.folder);
  }
  if (!options.fixes.empty())
    if (auto written = exportFixes(sources, options.fixes); !written)
      return written;
  if (!options.write)
    return {};
  const std::string root = sourceRoot(sources);
  auto written = writeInPlace(sources, root,
                              options.allowDirty ? ChangedFiles::Replace : ChangedFiles::Refuse);
  if (!written)
    return tl::unexpected(written.error());
  answer("written", *written);
  for (const std::string &file : *written)
    fmt::print(stderr, "wrote {}\n", file);
  const fs::path from = fs::current_path().lexically_relative(root);
  const bool isFound = !from.empty() && *from.begin() != "..";
  std::string there = fs::path(root).lexically_proximate(fs::current_path()).string();
  if (there.ends_with('/'))
    there.pop_back();
  fmt::print(stderr, "'relayout undo{}' takes it back\n", isFound ? "" : " " + there);
  return {};
}

/// What to do about text that is an earlier rewrite's, which nothing takes back any more: to a
/// rewrite it is code like any other, that uses its records in ways of its own.
std::vector<Note> adviceOnEarlierRewrite(const instrument::Program &program) {
  std::vector<Note> notes;
  for (const instrument::CompileCommand &unit : program.units)
    for (const std::filesystem::path &file : instrument::includedFiles(unit))
      if ((file.string().ends_with("_layout.h") ||
           file.stem().string().starts_with(rewriter::kSharedSpace)) &&
          isGenerated(readFile(file.string()).value_or("")))
        notes.push_back({{file.string(), 1, 0},
                         "this header is of an earlier rewrite, and no journal takes that back; "
                         "restore the original files and remove it, then rewrite them again"});
  return notes;
}

/// \param earlier  what was written in place and taken back; null where nothing was
int rewriteOriginals(const RewriteOptions &options, const instrument::Program &program,
                     const std::vector<std::string> &commandLine, const EarlierRewrite *earlier) {
  auto rewrite = applyWithAnyHeaders(options, program);
  if (!rewrite || rewrite->refused()) {
    const std::vector<Note> advice = adviceOnEarlierRewrite(program);
    std::vector<Note> &notes = rewrite ? rewrite->findings.back().notes : rewrite.error().notes;
    notes.insert(notes.end(), advice.begin(), advice.end());
  }
  if (!rewrite)
    return report(rewrite.error());
  printDiagnostics(rewrite->findings);
  if (rewrite->refused())
    return kRefused;
  keepLineEnds(rewrite->sources);
  nameCommand(rewrite->sources, commandLine);
  const std::string diff = patchOf(rewrite->sources);
  if (diff.empty()) {
    fmt::print(stderr, "nothing to rewrite: {}\n",
               options.remap            ? "no kernel whose threads may exchange their roles uses "
                                          "threadIdx.x and threadIdx.y"
               : options.layout.empty() ? "the plan keeps every original layout"
                                        : "the program has no array of records that would change");
    for (const Note &note : adviceOnEarlierRewrite(program))
      fmt::print(stderr, "{}:{}: note: {}\n", note.where.file, note.where.line, note.text);
    return kDone;
  }
  if (earlier && isSame(earlier->sources, rewrite->sources)) {
    fmt::print(stderr, "already rewritten; another layout replaces this one, and 'relayout undo' "
                       "restores the originals\n");
    return kDone;
  }
  const auto checked = checkOutput(program, rewrite->sources, "rejected.log");
  if (!checked)
    return report(checked.error());
  printDiagnostics(checked->findings);
  printDiagnostics(unitsLeftOut(options.inputs.database, program, rewrite->sources));
  answer("diff", diff);
  printDiff(diff);
  auto written = writeOut(options, rewrite->sources);
  return written ? kDone : report(written.error());
}

int rewriteProgram(RewriteOptions options, const ForwardedWords &words) {
  if (options.plan.empty() && options.layout.empty() && !options.remap)
    return report(
        Error{Code::InvalidCommandLine, "rewrite needs --plan, --layout or --remap", {}, {}});
  auto paths = findInstallPaths();
  if (!paths)
    return report(paths.error());
  auto program = programFrom(options.inputs, words.compilerFlags, *paths);
  if (!program)
    return report(program.error());
  std::string folder = std::filesystem::path(program->units.front().file).parent_path().string();
  folder = folder.empty() ? "." : folder;
  if (!options.write || !isWrittenInPlace(folder))
    return rewriteOriginals(options, *program, words.commandLine, nullptr);
  const auto earlier = takeBack(folder);
  if (!earlier)
    return report(earlier.error());
  options.allowDirty = true; // no text is lost: all of it was relayout's
  const int code = rewriteOriginals(options, *program, words.commandLine, &*earlier);
  if (!isWrittenInPlace(folder)) // refused, or the same
    if (auto back = writeInPlace(earlier->sources, earlier->root, ChangedFiles::Replace); !back)
      return report(back.error());
  return code;
}

} // namespace

Command registerRewrite(CLI::App &app) {
  auto options = std::make_shared<RewriteOptions>();
  CLI::App *parser = app.add_subcommand("rewrite", "Apply a plan to a CUDA program");
  addProgramInputs(*parser, options->inputs);
  CLI::Option *planFile =
      parser->add_option("--plan", options->plan, "Plan that 'relayout analyze -o' wrote");
  CLI::Option *layout =
      parser->add_option("--layout", options->layout,
                         "This layout for every array of records: " + analysis::fixedLayoutNames());
  layout->excludes(planFile);
  parser
      ->add_flag("--remap", options->remap,
                 "No layout: exchange what threadIdx.x and threadIdx.y number, in every kernel "
                 "that allows it")
      ->excludes(planFile)
      ->excludes(layout);
  CLI::Option *folder = parser->add_option("-o,--out", options->folder,
                                           "Write the rewritten program into this folder");
  CLI::Option *write =
      parser->add_flag("--write", options->write, "Edit the files in place, all or none")
          ->excludes(folder);
  parser
      ->add_option("--export-fixes", options->fixes,
                   "Write the edits into this file, as YAML for clang-apply-replacements, and the "
                   "generated headers to their places")
      ->excludes(write);
  parser->add_flag("--allow-dirty", options->allowDirty, "Also edit files with uncommitted changes")
      ->needs(write);
  parser->footer("Without -o and --write nothing is written: the diff goes to stdout.");
  auto execute = [options](const ForwardedWords &words) { return rewriteProgram(*options, words); };
  return {parser, true, false, execute};
}

} // namespace relayout::tool
