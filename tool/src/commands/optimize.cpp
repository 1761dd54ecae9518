// SPDX-License-Identifier: Apache-2.0
// `relayout optimize FILE.cu -- ARGS`: every stage in a row, each leaving its files in one folder.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/files.h"
#include "processes/folder_lock.h"
#include "reports/console.h"
#include "stages/decide.h"
#include "stages/measure_on_gpu.h"
#include "stages/out_of_bounds.h"
#include "stages/output_check.h"
#include "stages/patch.h"
#include "stages/program_inputs.h"
#include "stages/sparse_run.h"
#include "stages/stages.h"

#include "relayout/rewriter/rewrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>

namespace relayout::tool {
namespace {

struct Options {
  ProgramInputs inputs;
  std::string folder;
  std::string trace;         ///< of an earlier run, on a GPU for one; empty: made here
  std::string realArguments; ///< of a run of the size that counts, apart by spaces; empty: none
  bool quiet = false;
  TraceOptions tracing;
  DecideOptions deciding;
  MeasureOptions measuring;
};

std::vector<std::string> split(const std::string &arguments) {
  std::istringstream text(arguments);
  return {std::istream_iterator<std::string>(text), {}};
}

/// The first lines a program printed, set off from ours.
void showOutput(const std::string &title, const std::string &file) {
  auto text = readFile(file);
  if (!text || text->empty())
    return;
  constexpr std::size_t kLines = 12;
  fmt::print("{}\n", title);
  std::size_t start = 0;
  for (std::size_t line = 0; start < text->size() && line < kLines; ++line) {
    const std::size_t end = std::min(text->find('\n', start), text->size());
    fmt::print("  | {}\n", text->substr(start, end - start));
    start = end + 1;
  }
  if (start < text->size())
    fmt::print("  | … the rest is in {}\n", file);
}

/// Why the rewritten program differs, where the original's own accesses tell.
Error explained(const Error &difference, const trace::TraceHandle &trace) {
  const auto found = outOfBoundsAccesses(trace);
  if (!found || !*found)
    return difference;
  return Error{Code::OutOfBoundsAccess,
               fmt::format("the program accesses memory outside its arrays, {} times in this run; "
                           "what it reads there depends on the layout, so do not use the result",
                           grouped((*found)->warpAccesses)),
               (*found)->first,
               {{(*found)->first, "the first one is here; " + difference.text}}};
}

/// The changes to the program's own files, and the names of those that come with them.
void showChanges(const instrument::SourceSet &sources, const std::string &folder) {
  instrument::SourceSet edited;
  std::vector<std::string> generated;
  for (const instrument::SourceText &file : sources.files)
    if (file.originalPath.empty())
      generated.push_back(fmt::format("{}/rewritten/{}", folder, file.relativePath));
    else
      edited.files.push_back(file);
  printDiff(patchOf(edited));
  fmt::print("\n");
  if (!generated.empty())
    fmt::print("and new: {} (all of it: {}/changes.diff)\n\n", fmt::join(generated, " "), folder);
  std::fflush(stdout);
}

Result<HostProgram> traceOnCpu(const instrument::Program &program,
                               const std::vector<std::string> &arguments, const Options &options,
                               const InstallPaths &paths, const std::string &folder,
                               const std::string &traceFile, Progress &progress,
                               std::vector<Diagnostic> &findings) {
  progress.begin(fmt::format("parse and instrument {}", fmt::join(filesOf(program), " ")));
  auto traced = lowerToFolder(program, instrument::Probes::Trace, folder, "traced", findings);
  if (!traced)
    return traced;
  progress.begin("build the traced program for the CPU");
  if (auto built = buildHostPrograms({&*traced}, paths); !built)
    return tl::unexpected(built.error());
  progress.begin("run the traced program");
  if (auto ran = runHostProgram(*traced, arguments, traceFile, options.tracing,
                                folder + "/traced/output.txt");
      !ran)
    return tl::unexpected(ran.error());
  return traced;
}

/// The run of the real size, where that is named and can be sampled; else the one that was traced.
trace::TraceHandle traceToDecideFrom(const HostProgram &traced, const trace::TraceHandle &small,
                                     const std::vector<std::string> &arguments,
                                     const Options &options, const std::string &folder,
                                     Progress &progress, std::vector<Diagnostic> &findings) {
  progress.begin("sample a run of the real size");
  auto real = traceSparsely(
      traced, {arguments, split(options.realArguments), options.tracing, folder + "/traced"});
  if (real)
    return *real;
  findings.push_back(toDiagnostic(real.error()));
  findings.back().severity = Severity::Warning;
  return small;
}

Result<void> writeDecision(const Decided &decided, const std::string &text,
                           const std::string &folder) {
  const std::pair<const char *, std::string> files[] = {
      {"plan.json", analysis::toJson(decided.plan)},
      {"report.txt", text},
      {"report.json", reportJson(decided)}};
  for (const auto &[name, content] : files)
    if (auto written = writeFile(folder + "/" + name, content); !written)
      return written;
  return {};
}

bool changesAnything(const instrument::SourceSet &sources) {
  return std::ranges::any_of(
      sources.files, [](const instrument::SourceText &file) { return file.text != file.original; });
}

/// Compiles the rewritten units, and writes and shows them if that succeeds.
Result<OutputCheck> writeRewritten(const Options &options, const instrument::Program &program,
                                   const instrument::SourceSet &sources, const std::string &folder,
                                   Progress &progress) {
  progress.begin("compile the rewritten units");
  auto checked = checkOutput(program, sources, folder + "/rejected.log");
  progress.end();
  if (!checked)
    return checked;
  printDiagnostics(checked->findings);
  printDiagnostics(unitsLeftOut(options.inputs.database, program, sources));
  if (auto written = instrument::writeSources(sources, folder + "/rewritten"); !written)
    return tl::unexpected(written.error());
  if (auto written = writeFile(folder + "/changes.diff", patchOf(sources)); !written)
    return tl::unexpected(written.error());
  showChanges(sources, folder);
  return checked;
}

Result<Verification> compareOnCpu(const instrument::Program &program,
                                  const instrument::Program &rewrittenProgram,
                                  const std::vector<std::string> &arguments,
                                  const InstallPaths &paths, const std::string &folder,
                                  Progress &progress) {
  progress.begin("build original and rewritten program");
  std::vector<Diagnostic> known; // of the original, printed above, and of its rewritten twin
  auto original = lowerToFolder(program, instrument::Probes::None, folder, "original", known);
  if (!original)
    return tl::unexpected(original.error());
  auto rewritten =
      lowerToFolder(rewrittenProgram, instrument::Probes::None, folder, "rewritten-cpu", known);
  if (!rewritten)
    return tl::unexpected(rewritten.error());
  if (auto built = buildHostPrograms({&*original, &*rewritten}, paths); !built)
    return tl::unexpected(built.error());
  progress.begin("run both and compare every device-to-host copy");
  return runAndCompare(*original, *rewritten, arguments);
}

int optimize(const Options &options, const ForwardedWords &words) {
  if (auto checked = checkDecideOptions(options.deciding); !checked)
    return report(checked.error());
  if (!options.realArguments.empty() && !options.trace.empty() && !options.measuring.wanted)
    return report(Error{Code::InvalidCommandLine,
                        "--real-arguments has no effect on a trace that is there; leave out "
                        "--trace-file, or add --measure to time the layouts with them",
                        {},
                        {}});
  auto paths = findInstallPaths();
  if (!paths)
    return report(paths.error());
  const auto program = programFrom(options.inputs, words.compilerFlags, *paths);
  if (!program)
    return report(program.error());
  const std::string folder =
      options.folder.empty()
          ? "relayout-out/" + std::filesystem::path(program->units.front().file).stem().string()
          : options.folder;
  const FolderLock lock(folder);
  const bool isSampled = !options.realArguments.empty() && options.trace.empty();
  Progress progress((options.trace.empty() ? 8 : 5) + (options.measuring.wanted ? 1 : 0) +
                        (isSampled ? 1 : 0),
                    options.quiet);
  const auto stop = [&](const Error &error) {
    progress.end();
    return report(error);
  };

  std::vector<Diagnostic> findings;
  const std::string traceFile = options.trace.empty() ? folder + "/trace.rlt" : options.trace;
  std::optional<HostProgram> traced;
  if (options.trace.empty()) {
    auto made = traceOnCpu(*program, words.programArguments, options, *paths, folder, traceFile,
                           progress, findings);
    if (!made)
      return stop(made.error());
    traced = std::move(*made);
  }
  auto trace = readUsableTrace(traceFile);
  if (!trace)
    return stop(trace.error());
  const trace::TraceHandle deciding =
      options.realArguments.empty() || !traced
          ? *trace
          : traceToDecideFrom(*traced, *trace, words.programArguments, options, folder, progress,
                              findings);
  progress.begin("analyse the trace and decide");
  auto decided = decide(deciding, options.deciding,
                        [&progress](const std::string &how) { progress.note(how); });
  if (!decided)
    return stop(decided.error());
  if (options.measuring.wanted) {
    progress.begin("build and time layouts on the GPU");
    const std::vector<std::string> arguments =
        options.realArguments.empty() ? words.programArguments : split(options.realArguments);
    if (auto measured = decideByMeasure(*program, arguments, options.measuring, folder + "/measure",
                                        paths->libraries, *decided);
        !measured)
      decided->notMeasured =
          Error{measured.error().code,
                fmt::format("{}; {}/measure has the sources of the layouts to measure",
                            measured.error().text, folder)};
  }
  const std::string text = reportText(*decided);
  if (auto written = writeDecision(*decided, text, folder); !written)
    return stop(written.error());
  progress.begin("rewrite");
  auto rewrite = rewriter::rewriteWhatCanBe(*program, decided->plan);
  if (!rewrite)
    return stop(rewrite.error());
  progress.end();

  printDiagnostics(findings);
  if (options.trace.empty())
    showOutput("program output", folder + "/traced/output.txt");
  fmt::print("\n{}\n{}\n", describeTrace(**trace, traceFile), text);
  printDiagnostics(rewrite->findings);
  if (rewrite->refused())
    return kRefused;
  if (!changesAnything(rewrite->sources)) {
    fmt::print("nothing to rewrite: every array keeps its original layout\n");
    return (*trace)->complete ? kDone : kIncomplete;
  }
  const auto checked = writeRewritten(options, *program, rewrite->sources, folder, progress);
  if (!checked)
    return stop(checked.error());
  const std::string rewrittenFolder = folder + "/rewritten";
  const auto verification =
      compareOnCpu(*program, changedInFolder(*program, rewrite->sources, rewrittenFolder),
                   words.programArguments, *paths, folder, progress);
  if (!verification)
    return stop(verification.error());
  progress.end();
  auto verified = verdict(*verification, *checked);
  if (!verified)
    return report(explained(verified.error(), *trace));
  fmt::print("{}\nrewritten program: {}\n", *verified,
             fmt::join(filesOf(inFolder(*program, rewrite->sources, rewrittenFolder)), " "));
  return (*trace)->complete ? kDone : kIncomplete;
}

} // namespace

Command registerOptimize(CLI::App &app) {
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand(
      "optimize", "All stages: trace a CUDA program on the CPU, choose layouts, rewrite, verify");
  addProgramInputs(*parser, options->inputs);
  parser->add_option("-o,--out", options->folder, "Folder for all results [relayout-out/STEM]");
  parser->add_flag("-q,--quiet", options->quiet, "No progress lines");
  addDecideOptions(*parser, options->deciding);
  addMeasureOptions(*parser, options->measuring);
  parser->add_option("--real-arguments", options->realArguments,
                     "Arguments of a run of the size that counts, in one word: the choice is for "
                     "that run, sampled on the CPU, and --measure times it [those after --]");
  addTraceOptions(*parser, options->tracing);
  addWorkFolder(*parser);
  addAllAccesses(*parser, options->inputs.allAccesses);
  CLI::Option *traceFile = parser->add_option(
      "--trace-file", options->trace, "A trace of an earlier run, such as a GPU's, to decide from");
  for (const char *ofTracing : {"--trace", "--sample-blocks", "--max-bytes", "--workers"})
    traceFile->excludes(ofTracing);
  parser->footer(
      "Words after -- are the program's arguments. Compiler flags (-I, -D, -std, nvcc's) "
      "stand\nbefore them. The files themselves are not changed.");
  auto execute = [options](const ForwardedWords &words) { return optimize(*options, words); };
  return {parser, true, true, execute};
}

} // namespace relayout::tool
