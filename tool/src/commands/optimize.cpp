// SPDX-License-Identifier: Apache-2.0
// `relayout optimize FILE.cu -- ARGS`: every stage in a row, each leaving its files in one folder.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/files.h"
#include "processes/folder_lock.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "reports/grouped.h"
#include "reports/kept_arrays.h"
#include "reports/option_checks.h"
#include "stages/decide.h"
#include "stages/generated_by.h"
#include "stages/measure_on_gpu.h"
#include "stages/optimize_run.h"
#include "stages/out_of_bounds.h"
#include "stages/remapped_threads.h"
#include "stages/stages.h"
#include "stages/verification_json.h"

#include "relayout/rewriter/rewrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

namespace relayout::tool {
namespace {

/// So that a program of a GPU's size is decided in a minute or two.
constexpr std::chrono::seconds kWholeFor{10};

/// The first lines a program printed, set off from ours.
void showOutput(const std::string &title, const std::string &file) {
  auto text = readFile(file);
  if (!text || text->empty())
    return;
  constexpr std::size_t kLines = 12, kColumns = 200;
  fmt::print("{}\n", title);
  std::size_t start = 0;
  bool isCut = false;
  for (std::size_t line = 0; start < text->size() && line < kLines; ++line) {
    const std::size_t end = std::min(text->find('\n', start), text->size());
    const bool isLong = end - start > kColumns;
    fmt::print("  | {}{}\n", text->substr(start, isLong ? kColumns : end - start),
               isLong ? " …" : "");
    isCut |= isLong;
    start = end + 1;
  }
  if (start < text->size() || isCut)
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

std::string folderFor(const OptimizeOptions &options, const instrument::Program &program) {
  return options.folder.empty()
             ? "relayout-out/" + std::filesystem::path(program.units.front().file).stem().string()
             : options.folder;
}

/// Where the stages run, once the options are known to be possible.
struct WhereToRun {
  std::optional<GpuMachine> gpu; ///< nothing: on the CPU
  std::string why;               ///< in a line; empty where it was asked for
};

Result<WhereToRun> whereToRun(const OptimizeOptions &options, const InstallPaths &paths) {
  if (options.remap && options.on == "gpu")
    return fail(Code::InvalidCommandLine,
                "--remap traces, predicts and compares on the CPU; got it beside --on gpu");
  if (options.on == "cpu")
    return WhereToRun{};
  if (options.remap)
    return WhereToRun{std::nullopt, "on the CPU, as --remap asks for"};
  auto gpu = findUsableGpu(paths);
  if (gpu && options.on == "gpu")
    return WhereToRun{std::move(*gpu), {}};
  if (gpu) {
    const std::string why = fmt::format("on {}: traced, compared and timed there; --on cpu does "
                                        "without",
                                        gpu->gpu);
    return WhereToRun{std::move(*gpu), why};
  }
  if (options.on == "gpu")
    return tl::unexpected(needsGpu(gpu.error()));
  return WhereToRun{std::nullopt, fmt::format("on the CPU: {}", gpu.error().text)};
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

Result<Verification> compareOnCpu(const OptimizeRun &run,
                                  const instrument::Program &rewrittenProgram,
                                  const TraceOptions &running) {
  run.progress.begin("build original and rewritten program");
  std::vector<Diagnostic> known; // of the original, printed above, and of its rewritten twin
  auto original =
      lowerToFolder(run.parsed, instrument::Probes::None, run.folder, "original", known);
  if (!original)
    return tl::unexpected(original.error());
  auto rewritten =
      lowerToFolder(rewrittenProgram, instrument::Probes::None, run.folder, "rewritten-cpu", known);
  if (!rewritten)
    return tl::unexpected(rewritten.error());
  if (auto built = buildHostPrograms({&*original, &*rewritten}, run.paths); !built)
    return tl::unexpected(built.error());
  run.progress.begin("run both and compare every device-to-host copy");
  return runAndCompare(*original, *rewritten, run.arguments, run.paths, running);
}

/// Of a program that takes too long, versions are compared on the blocks that were sampled.
TraceOptions asTraced(const OptimizeRun &run, const trace::Trace &trace) {
  TraceOptions running;
  if (!run.options.trace.empty() || !isCutShort(trace))
    return running;
  running.sparse = true;
  running.sparseKernels = trace.kernels;
  running.wholeFor = run.options.tracing.wholeFor;
  return running;
}

/// The comparison of the version that was kept is known where it could be made on the GPU.
Result<Verification> compare(const OptimizeRun &run, const instrument::SourceSet &sources,
                             const Decided &decided, const trace::Trace &trace) {
  const auto rewritten = [&] {
    return changedInFolder(run.program, sources, rewrittenFolder(run));
  };
  if (run.gpu == nullptr)
    return compareOnCpu(run, rewritten(), asTraced(run, trace));
  const MeasuredChoice &choice = decided.measured->choice;
  if (!choice.notComparable)
    return Verification{.comparison = choice.versions[choice.best].comparison, .gpu = run.gpu->gpu};
  run.progress.expectMore(2);
  return insteadOfGpu(*choice.notComparable,
                      compareOnCpu(run, rewritten(), {.limit = kInsteadOfGpuLimit}));
}

/// Writes, builds and compares the rewritten program.
/// \returns  the exit code
int writeAndVerify(const OptimizeRun &run, const rewriter::Rewrite &rewrite, const Decided &decided,
                   const trace::TraceHandle &trace) {
  const instrument::SourceSet &sources = rewrite.sources;
  const auto stop = [&run](const Error &error) {
    run.progress.end();
    return report(error);
  };
  const auto checked = writeRewritten(run, sources);
  if (!checked)
    return stop(checked.error());
  auto verification = compare(run, sources, decided, *trace);
  if (!verification)
    return stop(verification.error());
  verification->unexecuted = unexecutedChanges(rewrite.applied, trace);
  run.progress.end();
  const auto verified = verdict(*verification, *checked);
  if (!verified)
    return report(explained(verified.error(), trace));
  const std::vector<std::string> files =
      filesOf(inFolder(run.program, sources, rewrittenFolder(run)));
  answer("verification", toJson(*verification, *checked));
  answer("rewritten", files);
  fmt::print("{}\nrewritten program: {}\n", *verified, fmt::join(files, " "));
  return trace->complete ? kDone : kIncomplete;
}

/// Of a program with single objects alone, say.
int reportNoArrays(const OptimizeRun &run, const Traces &traces,
                   const std::vector<Diagnostic> &findings) {
  run.progress.end();
  printDiagnostics(findings);
  if (run.options.trace.empty())
    showOutput("program output", run.folder + "/traced/output.txt");
  answer("folder", run.folder);
  fmt::print("\n{}\nnothing to rewrite: the program has no array in device memory whose layout "
             "could be chosen\n",
             describeTrace(*traces.own, traces.file));
  return traces.own->complete ? kDone : kIncomplete;
}

int optimizeIn(const OptimizeRun &run) {
  const auto stop = [&run](const Error &error) {
    run.progress.end();
    return report(error);
  };
  std::vector<Diagnostic> findings;
  const auto traces = obtainTraces(run, findings);
  if (!traces)
    return stop(traces.error());
  if (traces->own->sites.groups.empty())
    return reportNoArrays(run, *traces, findings);
  std::optional<RemappedThreads> remapped;
  if (run.options.remap) {
    auto gained = remapThreads(run, *traces, findings);
    if (!gained)
      return stop(gained.error());
    remapped = std::move(*gained);
  }
  auto applied = remapped ? decideAndRewrite(run, remapped->parsed, remapped->traces, findings)
                          : decideAndRewrite(run, run.parsed, *traces, findings);
  if (!applied) {
    run.progress.end();
    printDiagnostics(findings); // such as why no access was traced
    return report(applied.error());
  }
  const Decided *const decided = &applied->decided;
  rewriter::Rewrite *const rewrite = &applied->rewrite;
  const std::string text = (remapped ? remapped->text + "\n" : "") + reportText(*decided);
  if (auto written = writeDecision(*decided, text, run.folder); !written)
    return stop(written.error());
  if (remapped) { // the threads' change stands without the arrays'
    rewrite->sources = ofGivenProgram(*remapped, rewrite->sources);
    for (Diagnostic &finding : rewrite->findings)
      finding.severity = std::min(finding.severity, Severity::Warning);
  }
  if (!rewrite->refused())
    nameCommand(rewrite->sources, run.commandLine);
  run.progress.end();

  printDiagnostics(findings);
  if (decided->measured)
    printDiagnostics(faultsOf(*decided->measured));
  if (run.options.trace.empty())
    showOutput("program output", run.folder + "/traced/output.txt");
  answer("folder", run.folder);
  answer("report", nlohmann::ordered_json::parse(reportJson(*decided)));
  if (remapped)
    answer("remapped", remapped->kernels);
  fmt::print("\n{}\n{}\n", describeTrace(*traces->own, traces->file), text);
  printDiagnostics(rewrite->findings);
  if (rewrite->refused())
    return kRefused;
  if (changesAnything(rewrite->sources) && traces->notComparable)
    return report(*traces->notComparable);
  if (changesAnything(rewrite->sources))
    return writeAndVerify(run, *rewrite, *decided, traces->own);
  if (!run.options.deciding.layout.empty())
    printKeptArrays(traces->own->sites, decided->plan);
  fmt::print("nothing to rewrite: every array keeps its original layout\n");
  return traces->own->complete ? kDone : kIncomplete;
}

int optimize(const OptimizeOptions &options, const ForwardedWords &words) {
  if (auto checked = checkDecideOptions(options.deciding); !checked)
    return report(checked.error());
  auto paths = findInstallPaths();
  if (!paths)
    return report(paths.error());
  auto program = programFrom(options.inputs, words.compilerFlags, *paths);
  if (!program)
    return report(program.error());
  if (options.remap && options.deciding.policy != "replay")
    return report(Error{Code::InvalidCommandLine,
                        "--remap compares what policy replay predicts; leave out --policy",
                        {},
                        {}});
  const auto place = whereToRun(options, *paths);
  if (!place)
    return report(place.error());
  const GpuMachine *const gpu = place->gpu ? &*place->gpu : nullptr;
  if (!gpu && !options.realArguments.empty() && !options.trace.empty())
    return report(Error{Code::InvalidCommandLine,
                        "--real-arguments has no effect on a trace that is there; leave out "
                        "--trace-file, or time the layouts with them on a GPU (--on gpu)",
                        {},
                        {}});
  if (gpu && !options.scaleWith.empty())
    return report(Error{Code::InvalidCommandLine,
                        "--scale-with shows how a small run grows, and on a GPU the run of the "
                        "real size is traced; leave it out, or say --on cpu",
                        {},
                        {}});
  if (!options.quiet && !place->why.empty())
    fmt::print(stderr, "{}\n", place->why);
  const std::string folder = folderFor(options, *program);
  const FolderLock lock(folder);
  Progress progress(tracingStages(options, gpu != nullptr) + (gpu ? 4 : 5), options.quiet);
  instrument::ParsedProgram parsed(*program);
  return optimizeIn({options, *program, parsed, words.programArguments, words.commandLine, *paths,
                     gpu, folder, progress});
}

} // namespace

Command registerOptimize(CLI::App &app) {
  auto options = std::make_shared<OptimizeOptions>();
  CLI::App *parser = app.add_subcommand(
      "optimize",
      "All stages: trace a CUDA program on the GPU or the CPU, choose layouts, rewrite, verify");
  addProgramInputs(*parser, options->inputs);
  parser->add_option("-o,--out", options->folder, "Folder for all results [relayout-out/STEM]");
  parser->add_flag("-q,--quiet", options->quiet, "No progress lines");
  addDecideOptions(*parser, options->deciding);
  addPlace(*parser, options->on, {"auto", "cpu", "gpu"});
  parser->add_option("--runs", options->runs, "On a GPU: timed runs of each layout that is built")
      ->check(positiveNumber())
      ->capture_default_str();
  CLI::Option *real = parser->add_option(
      "--real-arguments", options->realArguments,
      "Arguments of a run of the size that counts, in one word: the choice is for "
      "that run, which is sampled on the CPU, or traced and timed on the GPU [those "
      "after --]");
  parser
      ->add_option("--scale-with", options->scaleWith,
                   "Arguments of one more run of another size, in one word: a layout has to gain "
                   "extrapolated from that run as well; on the CPU")
      ->excludes(real);
  addTraceOptions(*parser, options->tracing);
  options->tracing.wholeFor = kWholeFor;
  parser
      ->add_option_function<unsigned>(
          "--whole-for",
          [options](unsigned seconds) {
            options->tracing.wholeFor = std::chrono::seconds(seconds);
          },
          fmt::format("On the CPU, seconds after which the program leaves out most blocks; after "
                      "twice as many it is ended; 0: never [{}]",
                      kWholeFor.count()))
      ->type_name("SECONDS");
  parser->add_flag(
      "!--no-compile", options->compile,
      "Decide by estimates of registers, even where nvcc is installed and could compile "
      "the layouts that are best");
  addWorkFolder(*parser);
  addAllAccesses(*parser, options->inputs.allAccesses);
  CLI::Option *traceFile = parser->add_option(
      "--trace-file", options->trace, "A trace of an earlier run, such as a GPU's, to decide from");
  parser
      ->add_flag("--remap", options->remap,
                 "Also exchange what threadIdx.x and threadIdx.y number, in kernels that allow it "
                 "and are predicted to gain with their arrays as they are; on the CPU")
      ->excludes(traceFile);
  for (const char *ofTracing :
       {"--trace", "--sample-blocks", "--max-bytes", "--workers", "--scale-with"})
    traceFile->excludes(ofTracing);
  parser->footer(
      "Words after -- are the program's arguments. Compiler flags (-I, -D, -std, nvcc's) "
      "stand\nbefore them. The files themselves are not changed.");
  auto execute = [options](const ForwardedWords &words) { return optimize(*options, words); };
  return {parser, true, true, execute};
}

} // namespace relayout::tool
