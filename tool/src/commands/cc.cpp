// SPDX-License-Identifier: Apache-2.0
// `relayout cc -- nvcc ARGS`: the same compile, with probes in the device code.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/compile_words.h"
#include "processes/files.h"
#include "processes/install_paths.h"
#include "processes/process.h"
#include "processes/temporary_folder.h"
#include "reports/console.h"
#include "stages/probed_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct CcOptions {
  bool quiet = false;
  bool allAccesses = false;
  bool allowUnprobed = false;
  bool linkFlags = false; ///< print them and do nothing else
  std::string keep;       ///< folder for the sources with probes
  std::string record;     ///< folder of a compile_commands.json to keep; empty: none
};

/// A command whose sources have probes.
struct ProbedCommand {
  Words words;
  std::map<std::string, std::string> sourceOf; ///< the user's file, by the path of its copy
  [[nodiscard]] bool hasProbes() const { return !sourceOf.empty(); }
};

/// As a build beside the file would name it.
std::string nearName(const std::string &path) {
  const fs::path relative = fs::path(path).lexically_proximate(fs::current_path());
  return relative.string().starts_with("..") ? path : relative.string();
}

/// Puts the program with probes below the folder, and its files into the command.
/// \param places  of the program's units in the command
Result<void> useProbed(instrument::Program &program, const std::vector<std::size_t> &places,
                       const std::string &folder, bool isQuiet, ProbedCommand &command) {
  auto made = insertProbes(program, deviceCodeOf(program.units.front().flags),
                           command.words.front(), folder);
  if (!made)
    return tl::unexpected(made.error());
  if (auto written = instrument::writeSources(made->sources, folder); !written)
    return tl::unexpected(written.error());
  if (!isQuiet)
    printDiagnostics(made->model.findings);
  const auto copyOf = [&](const std::string &file) {
    return fs::path(folder + "/" + file).lexically_normal().string();
  };
  for (const instrument::SourceText &source : made->sources.files)
    command.sourceOf.emplace(copyOf(source.relativePath), nearName(source.originalPath));
  for (std::size_t i = 0; i < places.size(); ++i) {
    command.sourceOf[copyOf(made->files[i])] = command.words[places[i]];
    command.words[places[i]] = copyOf(made->files[i]);
  }
  return {};
}

/// A source that gets no probes: fine where it has nothing to trace, else an error unless allowed,
/// as its accesses would be missing from the trace.
Result<void> leaveUnprobed(const std::string &source, const Error &error,
                           const CcOptions &options) {
  const bool isPlain = error.code == Code::NoKernel || error.code == Code::NoRecordArray;
  if (!isPlain && !options.allowUnprobed) {
    Error stop = error;
    stop.text = fmt::format("'{}' gets no probes: {}", source, error.text);
    stop.notes.push_back({{}, "--allow-unprobed compiles it without; its accesses are not traced"});
    return tl::unexpected(std::move(stop));
  }
  if (!options.quiet || !isPlain)
    printDiagnostic({isPlain ? Severity::Remark : Severity::Warning, error.code,
                     fmt::format("'{}' is compiled without probes: {}", source, error.text),
                     error.where, error.notes});
  return {};
}

/// Puts probes into the sources of a command. A program that is compiled and linked at once is read
/// as one where it can be, as the other stages read it, so that its trace is one program's; else
/// each file is one of its own.
/// \error  why a source with something to trace has none
Result<ProbedCommand> addProbes(const Words &command, const InstallPaths &paths,
                                const std::string &folder, const CcOptions &options) {
  ProbedCommand probed{command, {}};
  const std::vector<std::size_t> sources = cudaSourcesOf(command);
  Words parseFlags;
  for (std::size_t i = 1; i < command.size(); ++i)
    if (std::ranges::find(sources, i) == sources.end())
      parseFlags.push_back(command[i]);
  const auto replace = [&](const std::vector<std::size_t> &places) {
    std::vector<std::string> names;
    for (const std::size_t i : places)
      names.push_back(command[i]);
    instrument::Program program = instrument::programOf(names, parseFlags, paths.headers());
    for (instrument::CompileCommand &unit : program.units) {
      unit.language = instrument::Language::Cuda;
      unit.allAccesses = options.allAccesses;
    }
    return useProbed(program, places, fmt::format("{}/{}", folder, places.front()), options.quiet,
                     probed);
  };
  if (sources.size() > 1 && !linksNothing(command) && replace(sources))
    return probed;
  for (const std::size_t i : sources)
    if (auto replaced = replace({i}); !replaced)
      if (auto left = leaveUnprobed(command[i], replaced.error(), options); !left)
        return tl::unexpected(left.error());
  return probed;
}

/// \returns  the compiler's exit code
int compile(const Words &command) {
  // Sources from standard input are named "-"; else it is not the compiler's to take.
  const bool readsInput = std::ranges::find(command, "-") != command.end();
  auto compiled =
      runProcess({.command = command, .input = readsInput ? Input::Ours : Input::Nothing});
  if (!compiled)
    return report(compiled.error());
  return compiled->signal != 0 ? kFailed : compiled->exitCode;
}

/// The same of sources with probes, whose failure may not be the user's.
/// \param log  a file for the compiler's words
int compileWithProbes(const Words &words, const std::string &log) {
  auto compiled = runProcess({.command = words, .outputFile = log});
  if (!compiled)
    return report(compiled.error());
  const std::string said = readFile(log).value_or("");
  if (!compiled->succeeded())
    if (const std::optional<Words> again = wordsForAnotherTry(words, said))
      return compile(*again);
  fmt::print(stderr, "{}", said);
  return compiled->signal != 0 ? kFailed : compiled->exitCode;
}

/// Compiles the sources as they are into a folder: errors of the user's own are the compiler's to
/// report.
int tryCompiler(const Words &command, const std::string &folder) {
  Words trial;
  for (auto word = command.begin(); word != command.end(); ++word) {
    if (*word != "-o" && *word != "--output-file")
      trial.push_back(*word);
    else if (word + 1 != command.end())
      ++word;
  }
  if (linksNothing(command) && cudaSourcesOf(command).size() > 1)
    trial.insert(trial.end(), {"-odir", folder});
  else
    trial.insert(trial.end(), {"-o", folder + "/output"});
  return compile(trial);
}

/// The compile with probes, or as it is given where there is nothing to trace.
int compileProbed(const Words &given, const CcOptions &options, const InstallPaths &paths) {
  const Words command = commandOf(given);
  auto work = TemporaryFolder::make();
  if (!work)
    return report(work.error());
  const std::string folder = options.keep.empty() ? work->file("probed") : options.keep;
  Result<ProbedCommand> probed = addProbes(command, paths, folder, options);
  if (!probed) {
    const int asWritten = tryCompiler(command, work->file(""));
    return asWritten != kDone ? asWritten : report(probed.error());
  }
  Words words = given;
  if (probed->hasProbes()) { // a compiler cache in front would keep what nobody asks for again
    words = inDialectOfProbes(probed->words);
    words.insert(words.begin() + 1, {"-I", probeHeaders(paths)});
  }
  if (!linksNothing(command))
    std::ranges::move(probeLinkWords(paths), std::back_inserter(words));
  if (const int status =
          probed->hasProbes() ? compileWithProbes(words, work->file("words.txt")) : compile(words);
      status != kDone)
    return status;
  if (probed->hasProbes())
    for (const std::string &file : dependencyFilesOf(command))
      if (auto named = nameSources(file, probed->sourceOf); !named)
        return report(named.error());
  return kDone;
}

int cc(const CcOptions &options, const Words &words) {
  auto paths = findInstallPaths();
  if (!paths)
    return report(paths.error());
  if (options.linkFlags) {
    for (const std::string &word : probeLinkWords(*paths))
      fmt::print("{}\n", word);
    return kDone;
  }
  if (words.empty())
    return report(Error{Code::InvalidCommandLine,
                        "no compile command after --; got none, needed nvcc and its arguments",
                        {},
                        {}});
  if (compilesNothing(words))
    return compile(words);
  const int status = compileProbed(words, options, *paths);
  if (status != kDone || options.record.empty())
    return status;
  auto recorded = recordUnits(commandOf(words), options.record);
  return recorded ? kDone : report(recorded.error());
}

} // namespace

Command registerCc(CLI::App &app) {
  auto options = std::make_shared<CcOptions>();
  CLI::App *parser =
      app.add_subcommand("cc", "Compile with nvcc, probes added: relayout cc -- nvcc ARGS");
  parser->add_flag("-q,--quiet", options->quiet, "Do not report what could not be traced");
  parser->add_flag("--allow-unprobed", options->allowUnprobed,
                   "Compile a source that cannot be given probes without them; its accesses are "
                   "missing from the trace");
  addAllAccesses(*parser, options->allAccesses);
  parser->add_option("--keep", options->keep, "Leave the sources with probes in this folder");
  parser->add_option("--record", options->record,
                     "Keep a compile_commands.json of what is compiled in this folder, which -p of "
                     "the other commands takes");
  parser->add_flag("--link-flags", options->linkFlags,
                   "Print what a link by another program than nvcc needs, and do nothing else");
  parser->footer("Words after -- are the compile command; the exit code is the compiler's. The\n"
                 "program it makes writes a trace under 'relayout profile'.");
  auto execute = [options](const ForwardedWords &words) {
    return cc(*options, words.programArguments);
  };
  return {parser, false, true, execute, /*answers=*/false};
}

} // namespace relayout::tool
