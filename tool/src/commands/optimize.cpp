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

/// What all stages of one call share.
struct Run {
  const Options &options;
  const instrument::Program &program;
  const std::vector<std::string> &arguments; ///< the program's
  const InstallPaths &paths;
  std::string folder; ///< for all results
  Progress &progress;
};

std::string folderFor(const Options &options, const instrument::Program &program) {
  return options.folder.empty()
             ? "relayout-out/" + std::filesystem::path(program.units.front().file).stem().string()
             : options.folder;
}

int stageCount(const Options &options) {
  const bool isSampled = !options.realArguments.empty() && options.trace.empty();
  return (options.trace.empty() ? 8 : 5) + (options.measuring.wanted ? 1 : 0) + (isSampled ? 1 : 0);
}

Result<HostProgram> traceOnCpu(const Run &run, const std::string &traceFile,
                               std::vector<Diagnostic> &findings) {
  run.progress.begin(fmt::format("parse and instrument {}", fmt::join(filesOf(run.program), " ")));
  auto traced =
      lowerToFolder(run.program, instrument::Probes::Trace, run.folder, "traced", findings);
  if (!traced)
    return traced;
  run.progress.begin("build the traced program for the CPU");
  if (auto built = buildHostPrograms({&*traced}, run.paths); !built)
    return tl::unexpected(built.error());
  run.progress.begin("run the traced program");
  if (auto ran = runHostProgram(*traced, run.arguments, traceFile, run.options.tracing,
                                run.folder + "/traced/output.txt");
      !ran)
    return tl::unexpected(ran.error());
  return traced;
}

/// The run of the real size, where that can be sampled; else the one that was traced.
trace::TraceHandle sampledOr(const trace::TraceHandle &small, const Run &run,
                             const HostProgram &traced, std::vector<Diagnostic> &findings) {
  run.progress.begin("sample a run of the real size");
  auto real = traceSparsely(traced, {run.arguments, split(run.options.realArguments),
                                     run.options.tracing, run.folder + "/traced"});
  if (real)
    return *real;
  findings.push_back(toDiagnostic(real.error()));
  findings.back().severity = Severity::Warning;
  return small;
}

/// The program's own run, and the one that the choice is for.
struct Traces {
  std::string file; ///< of `own`
  trace::TraceHandle own;
  trace::TraceHandle deciding; ///< of the real size, where that was sampled
};

Result<Traces> obtainTraces(const Run &run, std::vector<Diagnostic> &findings) {
  const Options &options = run.options;
  const std::string file = options.trace.empty() ? run.folder + "/trace.rlt" : options.trace;
  std::optional<HostProgram> traced;
  if (options.trace.empty()) {
    auto made = traceOnCpu(run, file, findings);
    if (!made)
      return tl::unexpected(made.error());
    traced = std::move(*made);
  }
  const auto own = readUsableTrace(file);
  if (!own)
    return tl::unexpected(own.error());
  const bool isSampled = traced && !options.realArguments.empty();
  return Traces{file, *own, isSampled ? sampledOr(*own, run, *traced, findings) : *own};
}

Result<Decided> decideFrom(const Run &run, const trace::TraceHandle &trace) {
  const Options &options = run.options;
  run.progress.begin("analyse the trace and decide");
  auto decided =
      decide(trace, options.deciding, [&run](const std::string &how) { run.progress.note(how); });
  if (!decided || !options.measuring.wanted)
    return decided;
  run.progress.begin("build and time layouts on the GPU");
  const std::vector<std::string> arguments =
      options.realArguments.empty() ? run.arguments : split(options.realArguments);
  if (auto measured = decideByMeasure(run.program, arguments, options.measuring,
                                      run.folder + "/measure", run.paths.libraries, *decided);
      !measured)
    decided->notMeasured =
        Error{measured.error().code, fmt::format("{}; {}/measure has the sources of the layouts to "
                                                 "measure",
                                                 measured.error().text, run.folder)};
  return decided;
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
Result<OutputCheck> writeRewritten(const Run &run, const instrument::SourceSet &sources) {
  run.progress.begin("compile the rewritten units");
  auto checked = checkOutput(run.program, sources, run.folder + "/rejected.log");
  run.progress.end();
  if (!checked)
    return checked;
  printDiagnostics(checked->findings);
  printDiagnostics(unitsLeftOut(run.options.inputs.database, run.program, sources));
  if (auto written = instrument::writeSources(sources, run.folder + "/rewritten"); !written)
    return tl::unexpected(written.error());
  if (auto written = writeFile(run.folder + "/changes.diff", patchOf(sources)); !written)
    return tl::unexpected(written.error());
  showChanges(sources, run.folder);
  return checked;
}

Result<Verification> compareOnCpu(const Run &run, const instrument::Program &rewrittenProgram) {
  run.progress.begin("build original and rewritten program");
  std::vector<Diagnostic> known; // of the original, printed above, and of its rewritten twin
  auto original =
      lowerToFolder(run.program, instrument::Probes::None, run.folder, "original", known);
  if (!original)
    return tl::unexpected(original.error());
  auto rewritten =
      lowerToFolder(rewrittenProgram, instrument::Probes::None, run.folder, "rewritten-cpu", known);
  if (!rewritten)
    return tl::unexpected(rewritten.error());
  if (auto built = buildHostPrograms({&*original, &*rewritten}, run.paths); !built)
    return tl::unexpected(built.error());
  run.progress.begin("run both and compare every device-to-host copy");
  return runAndCompare(*original, *rewritten, run.arguments);
}

/// Writes, builds and compares the rewritten program.
/// \returns  the exit code
int writeAndVerify(const Run &run, const instrument::SourceSet &sources,
                   const trace::TraceHandle &trace) {
  const auto stop = [&run](const Error &error) {
    run.progress.end();
    return report(error);
  };
  const auto checked = writeRewritten(run, sources);
  if (!checked)
    return stop(checked.error());
  const std::string rewrittenFolder = run.folder + "/rewritten";
  const auto verification =
      compareOnCpu(run, changedInFolder(run.program, sources, rewrittenFolder));
  if (!verification)
    return stop(verification.error());
  run.progress.end();
  const auto verified = verdict(*verification, *checked);
  if (!verified)
    return report(explained(verified.error(), trace));
  fmt::print("{}\nrewritten program: {}\n", *verified,
             fmt::join(filesOf(inFolder(run.program, sources, rewrittenFolder)), " "));
  return trace->complete ? kDone : kIncomplete;
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
  const std::string folder = folderFor(options, *program);
  const FolderLock lock(folder);
  Progress progress(stageCount(options), options.quiet);
  const Run run{options, *program, words.programArguments, *paths, folder, progress};
  const auto stop = [&progress](const Error &error) {
    progress.end();
    return report(error);
  };

  std::vector<Diagnostic> findings;
  const auto traces = obtainTraces(run, findings);
  if (!traces)
    return stop(traces.error());
  const auto decided = decideFrom(run, traces->deciding);
  if (!decided)
    return stop(decided.error());
  const std::string text = reportText(*decided);
  if (auto written = writeDecision(*decided, text, run.folder); !written)
    return stop(written.error());
  progress.begin("rewrite");
  auto rewrite = rewriter::rewritePartially(*program, decided->plan);
  if (!rewrite)
    return stop(rewrite.error());
  progress.end();

  printDiagnostics(findings);
  if (options.trace.empty())
    showOutput("program output", run.folder + "/traced/output.txt");
  fmt::print("\n{}\n{}\n", describeTrace(*traces->own, traces->file), text);
  printDiagnostics(rewrite->findings);
  if (rewrite->refused())
    return kRefused;
  if (changesAnything(rewrite->sources))
    return writeAndVerify(run, rewrite->sources, traces->own);
  fmt::print("nothing to rewrite: every array keeps its original layout\n");
  return traces->own->complete ? kDone : kIncomplete;
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
