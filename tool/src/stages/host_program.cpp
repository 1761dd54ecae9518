// SPDX-License-Identifier: Apache-2.0
// A lowered program on disk: its sources, how to build it for the CPU, and how to run it.
#include "stages/host_program.h"

#include "processes/files.h"
#include "processes/process.h"
#include "stages/build_failures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

/// Link order of the runtime's archives and what they stand on.
constexpr const char *kLibraries[] = {"-lrelayout_host", "-lrelayout_trace", "-lrelayout_base",
                                      "-lboost_context", "-lzstd",           "-lpthread"};

/// The first function or variable that the linker misses, or nothing.
std::string missingSymbol(const std::string &buildLog) {
  constexpr std::string_view kOpening = "undefined reference to `";
  const std::size_t start = buildLog.find(kOpening);
  if (start == std::string::npos)
    return {};
  const std::size_t from = start + kOpening.size();
  return buildLog.substr(from, buildLog.find('\'', from) - from);
}

} // namespace

Result<HostProgram> writeHostProgram(const instrument::LoweredProgram &lowered,
                                     const instrument::CompileCommand &command,
                                     const std::string &folder) {
  if (auto written = instrument::writeSources(lowered.sources, folder); !written)
    return tl::unexpected(written.error());
  HostProgram program{folder, lowered.sources.files.front().relativePath, command.file,
                      instrument::toClangFlags(command.flags)};
  const nlohmann::ordered_json json = {{"format", "relayout-program"},
                                       {"version", 1},
                                       {"source", program.source},
                                       {"main", program.mainFile},
                                       {"flags", program.compilerFlags}};
  if (auto written = writeFile(folder + "/program.json", json.dump(2) + "\n"); !written)
    return tl::unexpected(written.error());
  return program;
}

Result<HostProgram> readHostProgram(const std::string &folder) {
  const std::string path = folder + "/program.json";
  auto text = readFile(path);
  if (!text)
    return tl::unexpected(text.error());
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  HostProgram program;
  program.folder = folder;
  try {
    if (json.at("format") != "relayout-program" || json.at("version") != 1)
      throw nlohmann::json::other_error::create(0, "", nullptr);
    json.at("main").get_to(program.mainFile);
    json.at("source").get_to(program.source);
    json.at("flags").get_to(program.compilerFlags);
  } catch (const nlohmann::json::exception &) {
    return fail(Code::OtherFileVersion,
                fmt::format("'{}' was not written by this version of 'relayout "
                            "instrument'",
                            path));
  }
  return program;
}

Result<void> buildHostProgram(const HostProgram &program, const InstallPaths &paths) {
  ProcessRequest request;
  request.outputFile = program.folder + "/build.log";
  request.command = {paths.hostCompiler,
                     "-std=c++17",
                     "-O2",
                     "-ffp-contract=off",
                     "-w",
                     "-ftls-model=local-exec",
                     "-isystem",
                     paths.cudaHeaders};
  for (const std::string &flag : program.compilerFlags)
    request.command.push_back(flag);
  if (const std::string here = fs::path(program.source).parent_path().string(); !here.empty()) {
    // Data files and headers that the parse did not see stay reachable.
    request.command.push_back("-iquote");
    request.command.push_back(here);
  }
  request.command.insert(request.command.end(),
                         {"-x", "c++", program.folder + "/" + program.mainFile, "-x", "none", "-o",
                          program.folder + "/program", "-L" + paths.libraries});
  request.command.insert(request.command.end(), std::begin(kLibraries), std::end(kLibraries));
  auto result = runProcess(request);
  if (!result)
    return tl::unexpected(result.error());
  if (result->succeeded())
    return {};
  auto log = readFile(request.outputFile);
  if (auto failure = log ? environmentFailure(*log) : std::nullopt) {
    failure->notes.push_back(
        {{}, fmt::format("'{}' has the compiler's words", request.outputFile)});
    return tl::unexpected(std::move(*failure));
  }
  if (const std::string symbol = log ? missingSymbol(*log) : std::string(); !symbol.empty())
    return fail(Code::UndefinedSymbol,
                fmt::format("'{}' uses '{}', which another file or library defines; give all "
                            "source files of the program",
                            program.source, symbol));
  return fail(Code::LoweredCodeRejected,
              fmt::format("the program lowered from '{}' does not compile for the CPU; this is a "
                          "fault of relayout, and '{}' shows where",
                          program.source, request.outputFile));
}

Result<void> runHostProgram(const HostProgram &program, const std::vector<std::string> &arguments,
                            const std::string &traceFile, const TraceOptions &options,
                            const std::string &outputFile) {
  ProcessRequest request;
  request.command = {fs::absolute(program.folder + "/program").string()};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.outputFile = outputFile;
  request.input = Input::Ours;
  request.environment["RELAYOUT_TRACE"] = fs::absolute(traceFile).string();
  request.environment["RELAYOUT_TRACE_MODE"] = options.mode;
  if (options.sampleBlocks != 0)
    request.environment["RELAYOUT_SAMPLE_BLOCKS"] = std::to_string(options.sampleBlocks);
  if (options.maxBytes != 0)
    request.environment["RELAYOUT_MAX_BYTES"] = std::to_string(options.maxBytes);
  if (options.workers != 0)
    request.environment["RELAYOUT_WORKERS"] = std::to_string(options.workers);
  auto result = runProcess(request);
  if (!result)
    return tl::unexpected(result.error());
  if (!result->succeeded())
    return fail(
        Code::ProgramFailed,
        fmt::format("the program from '{}' {} on the CPU{}", program.source, result->describe(),
                    outputFile.empty() ? std::string()
                                       : fmt::format("; its output is in '{}'", outputFile)));
  return {};
}

} // namespace relayout::tool
