// SPDX-License-Identifier: Apache-2.0
// Builds lowered programs for the CPU, each unit by itself; a unit whose text and flags were
// compiled before is not compiled again.
#include "stages/host_program.h"

#include "processes/files.h"
#include "processes/process.h"
#include "stages/build_failures.h"

#include "relayout/base/run_parallel.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

/// Link order of the runtime's archives and what they stand on.
constexpr const char *kLibraries[] = {"-lrelayout_host", "-lrelayout_trace", "-lrelayout_base",
                                      "-lboost_context", "-lzstd",           "-lpthread"};

struct Compilation {
  const HostProgram *program = nullptr;
  const instrument::LoweredUnit *unit = nullptr;
  std::vector<std::string> words; ///< without the output
  std::string object;
  std::optional<Error> failure;
};

/// The first function or variable of which the linker says this, or nothing.
std::string symbolBehind(std::string_view opening, const std::string &buildLog) {
  const std::size_t start = buildLog.find(opening);
  if (start == std::string::npos)
    return {};
  const std::size_t from = start + opening.size();
  return buildLog.substr(from, buildLog.find('\'', from) - from);
}

/// Whether the compiler takes these words with a small program.
bool takes(std::vector<std::string> words, const std::string &text, const HostProgram &program,
           const InstallPaths &paths) {
  const std::string source = program.objects + fmt::format("/asked.{}.cpp", getpid());
  const std::string made = source + ".out";
  ProcessRequest request;
  words.insert(words.begin(), paths.hostCompiler);
  words.insert(words.end(), {source, "-o", made});
  request.command = std::move(words);
  request.outputFile = source + ".log";
  if (!writeFile(source, text))
    return false;
  const auto result = runProcess(request);
  std::error_code status;
  for (const std::string &file : {source, made, request.outputFile})
    fs::remove(file, status);
  return result && result->succeeded();
}

bool isOpenMp(const std::string &flag) { return flag.starts_with("-fopenmp"); }

/// A compiler without OpenMP, as Clang often is, runs parallel regions on one thread.
void dropMissingOpenMp(HostProgram &program, const InstallPaths &paths) {
  if (std::ranges::none_of(program.linkFlags, isOpenMp) ||
      takes({"-fopenmp", "-include", "omp.h"}, "int main() { return omp_get_num_threads() - 1; }\n",
            program, paths))
    return;
  std::erase_if(program.linkFlags, isOpenMp);
  for (instrument::LoweredUnit &unit : program.units)
    std::ranges::replace_if(unit.flags, isOpenMp, instrument::kOpenMpMacro);
}

/// GCC needs no flag for what Clang does by this one.
void dropClangsFlag(HostProgram &program, const InstallPaths &paths) {
  const auto isLate = [](const std::string &flag) { return flag == instrument::kLateTemplates; };
  const bool isAsked = std::ranges::any_of(program.units, [&](const instrument::LoweredUnit &unit) {
    return std::ranges::any_of(unit.flags, isLate);
  });
  if (isAsked && !takes({instrument::kLateTemplates}, "int main() {}\n", program, paths))
    for (instrument::LoweredUnit &unit : program.units)
      std::erase_if(unit.flags, isLate);
}

std::vector<std::string> compileWords(const HostProgram &program,
                                      const instrument::LoweredUnit &unit,
                                      const InstallPaths &paths) {
  // Device code has neither errno nor floating-point traps; without them loops vectorise. Its
  // integers wrap, as programs expect that compute hashes and squares in them, and its numbers are
  // reached by pointers to others, as (&v.x)[i], which nvcc allows. Clang takes
  // __restrict__ and __restrict in fewer places than nvcc.
  std::vector<std::string> words = {paths.hostCompiler,
                                    "-O2",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fwrapv",
                                    "-fno-strict-aliasing",
                                    "-ffunction-sections",
                                    "-w",
                                    "-D__restrict__=",
                                    "-D__restrict=",
                                    "-isystem",
                                    paths.cudaHeaders};
  words.insert(words.end(), unit.flags.begin(), unit.flags.end());
  if (const std::string here = fs::path(unit.source).parent_path().string(); !here.empty()) {
    // Data files and headers that the parse did not see stay reachable.
    words.emplace_back("-iquote");
    words.push_back(here);
  }
  words.insert(words.end(), {"-idirafter", paths.cudaHeaders + "/openmp"});
  if (!paths.cccl.empty())
    words.insert(words.end(), {"-idirafter", paths.cccl});
  words.insert(words.end(), {"-x", unit.file.ends_with(".c") ? "c" : "c++", "-c",
                             program.folder + "/" + unit.file});
  return words;
}

/// The unit's own files: those of its folder, or the one file that is all there is.
std::set<fs::path> unitFilesOf(const HostProgram &program, const instrument::LoweredUnit &unit) {
  std::set<fs::path> files;
  const fs::path file = unit.file;
  if (!file.has_parent_path())
    return {fs::path(program.folder) / file};
  std::error_code status;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(fs::path(program.folder) / *file.begin(), status))
    if (entry.is_regular_file(status))
      files.insert(entry.path());
  return files;
}

/// Identifies all that the object depends on but the system's headers. The folder that the program
/// lies in is not part of it.
std::string digestOf(const Compilation &compilation, const InstallPaths &paths) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  const auto add = [&](std::string_view text) {
    XXH3_128bits_update(&state, text.data(), text.size());
    XXH3_128bits_update(&state, "", 1);
  };
  for (std::size_t i = 0; i + 1 < compilation.words.size(); ++i)
    add(compilation.words[i]);
  for (const fs::path &file : unitFilesOf(*compilation.program, *compilation.unit)) {
    add(file.lexically_relative(compilation.program->folder).string());
    add(readFile(file.string()).value_or(""));
  }
  std::error_code status;
  const fs::path ours = paths.cudaHeaders + "/cuda_runtime.h";
  add(std::to_string(fs::last_write_time(ours, status).time_since_epoch().count()));
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Error rejected(const std::string &source, const std::string &log) {
  auto text = readFile(log);
  if (auto failure = text ? environmentFailure(*text) : std::nullopt) {
    failure->notes.push_back({{}, fmt::format("'{}' has the compiler's words", log)});
    return std::move(*failure);
  }
  return Error{Code::LoweredCodeRejected,
               fmt::format("the program lowered from '{}' does not compile for the CPU; this is a "
                           "fault of relayout, and '{}' shows where",
                           source, log),
               {},
               {}};
}

/// GCC takes `A<T>::type f();` without `typename` from C++20 on, Clang and nvcc before it as well.
std::optional<std::vector<std::string>> inLaterStandard(std::vector<std::string> words,
                                                        const std::string &log) {
  const auto standard = std::ranges::find(words, "-std=gnu++17");
  if (standard == words.end() || log.find("typename") == std::string::npos)
    return std::nullopt;
  *standard = "-std=gnu++20";
  return words;
}

void compile(Compilation &compilation) {
  std::error_code status;
  if (fs::exists(compilation.object, status))
    return;
  ProcessRequest request;
  request.command = compilation.words;
  const std::string partial = compilation.object + fmt::format(".{}.part", getpid());
  request.command.insert(request.command.end(), {"-o", partial});
  request.outputFile = compilation.object + ".log";
  auto result = runProcess(request);
  if (result && !result->succeeded())
    if (auto later = inLaterStandard(request.command, readFile(request.outputFile).value_or(""))) {
      request.command = std::move(*later);
      result = runProcess(request);
    }
  if (!result) {
    compilation.failure = result.error();
    return;
  }
  if (!result->succeeded()) {
    const std::string log = compilation.program->folder + "/build.log";
    fs::copy_file(request.outputFile, log, fs::copy_options::overwrite_existing, status);
    compilation.failure = rejected(compilation.unit->source, log);
  } else {
    fs::rename(partial, compilation.object, status);
  }
  fs::remove(request.outputFile, status);
}

constexpr const char *kDropUnused = "-Wl,--gc-sections";

Result<void> link(const HostProgram &program, const std::vector<std::string> &objects,
                  const InstallPaths &paths, const std::optional<Error> &missing = {}) {
  ProcessRequest request;
  request.outputFile = program.folder + "/build.log";
  request.command = {paths.hostCompiler};
  request.command.insert(request.command.end(), objects.begin(), objects.end());
  request.command.insert(request.command.end(),
                         {"-o", program.folder + "/program", "-L" + paths.libraries});
  request.command.insert(request.command.end(), std::begin(kLibraries), std::end(kLibraries));
  request.command.insert(request.command.end(), program.linkFlags.begin(), program.linkFlags.end());
  auto result = runProcess(request);
  if (!result)
    return tl::unexpected(result.error());
  if (result->succeeded())
    return {};
  const std::string log = readFile(request.outputFile).value_or("");
  // What a library of NVIDIA's or none of the program uses need not be there: then it links
  // without.
  HostProgram without = program;
  if (std::erase_if(without.linkFlags, [lost = "-l" + missingLibrary(log)](
                                           const std::string &flag) { return flag == lost; }) != 0)
    return link(without, objects, paths, missing ? missing : environmentFailure(log));
  if (missing)
    return tl::unexpected(*missing);
  if (const std::string symbol = symbolBehind("multiple definition of `", log); !symbol.empty())
    return fail(Code::FilesDoNotJoin,
                fmt::format("'{}' is defined more than once in {}; give the files of one program, "
                            "with -p by --target",
                            symbol, program.sources()));
  const std::string symbol = symbolBehind("undefined reference to `", log);
  // Unused functions may reference undefined symbols: nvcc drops those of the device.
  if (!symbol.empty() &&
      std::ranges::find(program.linkFlags, kDropUnused) == program.linkFlags.end()) {
    HostProgram used = program;
    used.linkFlags.emplace_back(kDropUnused);
    return link(used, objects, paths);
  }
  if (!symbol.empty())
    return fail(Code::UndefinedSymbol,
                fmt::format("'{}' uses '{}', which another file or library defines; give all "
                            "source files of the program",
                            program.sources(), symbol));
  return tl::unexpected(rejected(program.sources(), request.outputFile));
}

} // namespace

Result<void> buildHostPrograms(const std::vector<const HostProgram *> &programs,
                               const InstallPaths &paths) {
  std::vector<Compilation> units;
  std::deque<HostProgram> buildable;
  for (const HostProgram *given : programs) {
    std::error_code status;
    fs::create_directories(given->objects, status);
    const HostProgram *program = &buildable.emplace_back(*given);
    dropMissingOpenMp(buildable.back(), paths);
    dropClangsFlag(buildable.back(), paths);
    for (const instrument::LoweredUnit &unit : program->units) {
      Compilation &compilation = units.emplace_back();
      compilation.program = program;
      compilation.unit = &unit;
      compilation.words = compileWords(*program, unit, paths);
      compilation.object = fmt::format("{}/{}.o", program->objects, digestOf(compilation, paths));
    }
  }
  std::vector<Compilation *> todo; // of equal units the first
  std::set<std::string> known;
  for (Compilation &compilation : units)
    if (known.insert(compilation.object).second)
      todo.push_back(&compilation);
  runParallel(todo.size(), 0, [&](std::size_t i) { compile(*todo[i]); });
  for (const Compilation &compilation : units)
    if (compilation.failure)
      return tl::unexpected(*compilation.failure);
  for (const HostProgram &program : buildable) {
    std::vector<std::string> objects;
    for (const Compilation &compilation : units)
      if (compilation.program == &program)
        objects.push_back(compilation.object);
    if (auto linked = link(program, objects, paths); !linked)
      return linked;
  }
  return {};
}

} // namespace relayout::tool
