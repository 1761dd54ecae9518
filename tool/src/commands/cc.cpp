// SPDX-License-Identifier: Apache-2.0
// `relayout cc -- nvcc ARGS`: the same compile, with probes in the device code.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/install_paths.h"
#include "processes/nvcc.h"
#include "processes/process.h"
#include "processes/temporary_folder.h"
#include "reports/console.h"

#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/gpu_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool isCudaSource(const std::string &word) {
  return !word.starts_with('-') && word.ends_with(".cu");
}

/// nvcc's words that end before the linker.
bool linksNothing(const Words &words) {
  static const std::set<std::string_view> kStops = {"-c",         "--compile",
                                                    "-E",         "--preprocess",
                                                    "-ptx",       "--ptx",
                                                    "-cubin",     "--cubin",
                                                    "-fatbin",    "-M",
                                                    "-MM",        "-dc",
                                                    "--device-c", "-lib",
                                                    "--lib",      "--fatbin",
                                                    "-cuda",      "--cuda",
                                                    "-dw",        "--device-w",
                                                    "-dlink",     "--device-link",
                                                    "--dryrun",   "-V",
                                                    "--version",  "--help",
                                                    "-h"};
  return std::ranges::any_of(words, [](const std::string &word) { return kStops.contains(word); });
}

/// What nvcc must link so that the program can write a trace.
Words linkWords(const InstallPaths &paths) {
  Words words;
  for (const CudaCall &call : cudaCalls())
    for (const std::string_view name : {call.name, call.perThread})
      if (call.isHooked && !name.empty()) {
        words.emplace_back("-Xlinker");
        words.push_back(fmt::format("--wrap={}", name));
      }
  for (std::string word :
       {fmt::format("{}/librelayout_hooks.a", paths.libraries), "-L" + paths.libraries,
        std::string("-lrelayout_gpu"), std::string("-Xlinker"), std::string("-rpath"),
        std::string("-Xlinker"), paths.libraries})
    words.push_back(std::move(word));
  return words;
}

/// Whether device code is compiled for linking, by the last word that says so.
instrument::DeviceCode deviceCodeOf(const Words &words) {
  static const std::set<std::string_view> kRelocatable = {"-rdc", "--relocatable-device-code"};
  bool isLinked = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    const std::size_t equals = word.find('=');
    if (word == "-dc" || word == "--device-c")
      isLinked = true;
    else if (kRelocatable.contains(word.substr(0, equals)))
      isLinked = equals != std::string::npos ? word.substr(equals + 1) == "true"
                                             : i + 1 < words.size() && words[i + 1] == "true";
  }
  return isLinked ? instrument::DeviceCode::Linked : instrument::DeviceCode::Whole;
}

struct CcOptions {
  bool quiet = false;
  bool allAccesses = false;
  bool allowUnprobed = false;
  std::string keep; ///< folder for the sources with probes
};

/// Parses against our own CUDA headers, and what these lack against those of the toolkit.
Result<instrument::ProbedProgram> insertProbes(instrument::Program program,
                                               instrument::DeviceCode code,
                                               const std::string &compiler,
                                               const std::string &folder) {
  auto probed = instrument::insertGpuProbes(program, code);
  if (probed || !toolkitMayHelp(probed.error()))
    return probed;
  const std::string toolkit = toolkitOf(compiler, program.units.front().file, folder);
  for (instrument::CompileCommand &unit : program.units)
    unit.cudaToolkit = toolkit;
  return toolkit.empty() ? std::move(probed) : instrument::insertGpuProbes(program, code);
}

/// The program with probes, below the folder.
/// \returns  the paths of the files to compile in place of its units'
Result<std::vector<std::string>> probed(const instrument::Program &program,
                                        const std::string &compiler, const std::string &folder,
                                        bool isQuiet) {
  auto made = insertProbes(program, deviceCodeOf(program.units.front().flags), compiler, folder);
  if (!made)
    return tl::unexpected(made.error());
  if (auto written = instrument::writeSources(made->sources, folder); !written)
    return tl::unexpected(written.error());
  if (!isQuiet)
    printDiagnostics(made->model.findings);
  std::vector<std::string> files;
  for (const std::string &file : made->files)
    files.push_back(folder + "/" + file);
  return files;
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

/// Puts probes into the sources of a command, which then names the files that have them. A program
/// that is compiled and linked at once is read as one where it can be, as the other stages read it,
/// so that its trace is one program's; else each file is one of its own.
/// \returns  whether there are any probes
/// \error  why a source with something to trace has none
Result<bool> addProbes(Words &command, const InstallPaths &paths, const std::string &folder,
                       const CcOptions &options) {
  const Words flags(command.begin() + 1, command.end());
  Words parseFlags;
  std::ranges::copy_if(flags, std::back_inserter(parseFlags),
                       [](const std::string &word) { return !isCudaSource(word); });
  const auto programFor = [&](const std::vector<std::string> &sources) {
    instrument::Program program = instrument::programOf(sources, parseFlags, paths.cudaHeaders);
    for (instrument::CompileCommand &unit : program.units) {
      unit.language = instrument::Language::Cuda;
      unit.allAccesses = options.allAccesses;
    }
    return program;
  };
  std::vector<std::size_t> sources;
  for (std::size_t i = 1; i < command.size(); ++i)
    if (isCudaSource(command[i]))
      sources.push_back(i);
  const auto replace = [&](const std::vector<std::size_t> &which) -> Result<void> {
    std::vector<std::string> names;
    for (const std::size_t i : which)
      names.push_back(command[i]);
    auto files = probed(programFor(names), command.front(),
                        fmt::format("{}/{}", folder, which.front()), options.quiet);
    if (!files)
      return tl::unexpected(files.error());
    for (std::size_t k = 0; k < which.size(); ++k)
      command[which[k]] = (*files)[k];
    return {};
  };
  if (sources.size() > 1 && !linksNothing(flags) &&
      deviceCodeOf(flags) == instrument::DeviceCode::Whole && replace(sources))
    return true;
  bool hasProbes = false;
  for (const std::size_t i : sources) {
    if (auto replaced = replace({i}); replaced)
      hasProbes = true;
    else if (auto left = leaveUnprobed(command[i], replaced.error(), options); !left)
      return tl::unexpected(left.error());
  }
  return hasProbes;
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
  if (linksNothing(command) && std::ranges::count_if(command, isCudaSource) > 1)
    trial.insert(trial.end(), {"-odir", folder});
  else
    trial.insert(trial.end(), {"-o", folder + "/output"});
  return compile(trial);
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
  parser->footer("Words after -- are the compile command; the exit code is the compiler's. The\n"
                 "program it makes writes a trace under 'relayout profile'.");
  auto execute = [options](const ForwardedWords &words) -> int {
    if (words.programArguments.empty())
      return report(Error{Code::InvalidCommandLine,
                          "no compile command after --; got none, needed nvcc and its "
                          "arguments",
                          {},
                          {}});
    auto paths = findInstallPaths();
    if (!paths)
      return report(paths.error());
    const Words &command = words.programArguments;
    const Words flags(command.begin() + 1, command.end());
    Words changed = command;
    auto work = TemporaryFolder::make();
    if (!work)
      return report(work.error());
    const std::string folder = options->keep.empty() ? work->file("probed") : options->keep;
    const Result<bool> hasProbes = addProbes(changed, *paths, folder, *options);
    if (!hasProbes) {
      const int asWritten = tryCompiler(command, work->file(""));
      return asWritten != kDone ? asWritten : report(hasProbes.error());
    }
    const fs::path include = fs::path(paths->cudaHeaders).parent_path() / "relayout-device";
    if (*hasProbes)
      changed.insert(changed.begin() + 1, {"-I", include.string()});
    if (!linksNothing(flags))
      std::ranges::move(linkWords(*paths), std::back_inserter(changed));
    return compile(changed);
  };
  return {parser, false, true, execute};
}

} // namespace relayout::tool
