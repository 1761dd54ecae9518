// SPDX-License-Identifier: Apache-2.0
// Builds versions of a program for this machine's GPU, each unit with its own compiler and flags.
#include "stages/gpu_build.h"

#include "processes/files.h"
#include "processes/nvcc.h"
#include "processes/process.h"
#include "stages/probed_program.h"

#include "relayout/base/run_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool isNvcc(const std::string &compiler) {
  return fs::path(compiler).filename().string().find("nvcc") != std::string::npos;
}

/// One compile, which may serve several versions.
struct UnitCompile {
  const instrument::CompileCommand *unit = nullptr;
  Words words;
  std::string object;
  std::string log;
  bool hasProbes = false;
  bool succeeded = false;

  void run(std::chrono::seconds limit = {}) {
    succeeded = compileUnit(*unit, words, object, log, limit);
    if (!succeeded && hasProbes)
      if (auto again = wordsForAnotherTry(words, readFile(log).value_or("")))
        succeeded = compileUnit(*unit, *again, object, log, limit);
  }
};

/// Of the flags that a CUDA unit is compiled with, those that serve a link as well: all but what
/// says how to take a source.
Words linkFlagsOfCuda(const Words &flags) {
  static const std::set<std::string_view> kDropped = {"-MD", "-MMD", "-MP",  "-M",
                                                      "-MM", "-xcu", "-x=cu"};
  Words kept;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == "-x" || flags[i] == "--x")
      ++i;
    else if (!kDropped.contains(flags[i]))
      kept.push_back(flags[i]);
  return kept;
}

class GpuBuilder {
public:
  /// \param further  flags of CUDA units
  GpuBuilder(const instrument::Program &program, const std::string &nvcc, const std::string &folder,
             Words further = {})
      : program_(program), nvcc_(nvcc), folder_(fs::absolute(folder).string()),
        further_(std::move(further)) {
    std::error_code status;
    fs::create_directories(folder_, status);
  }

  /// From now on nvcc makes the device code of a unit alone, which takes less than half the time.
  void leaveHostCodeOut() { isForDevice_ = true; }

  void add(const GpuVersion &version) {
    std::vector<std::size_t> &objects = objects_.emplace_back();
    for (std::size_t i = 0; i < program_.units.size(); ++i) {
      Words words = wordsOf(program_.units[i], version.units[i]);
      if (isForDevice_ && isNvcc(words.front()))
        std::ranges::replace(words, "-c", "-fatbin");
      const auto known = std::ranges::find_if(compilations_, [&](const UnitCompile &other) {
        return other.unit == &program_.units[i] && other.words == words;
      });
      objects.push_back(static_cast<std::size_t>(known - compilations_.begin()));
      if (known != compilations_.end())
        continue;
      const std::string stem = fmt::format("{}/{}-{}", folder_, compilations_.size(),
                                           fs::path(program_.units[i].file).stem().string());
      compilations_.push_back({&program_.units[i], std::move(words), stem + ".o", stem + ".txt",
                               version.units[i].hasProbes});
    }
  }

  void compileAll() {
    runParallel(compilations_.size(), 0, [&](std::size_t i) { compilations_[i].run(); });
  }

  /// CUDA units alone, and what of them is done in time.
  void compileCuda(std::chrono::seconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    runParallel(compilations_.size(), 0, [&](std::size_t i) {
      UnitCompile &compilation = compilations_[i];
      const auto left =
          std::chrono::duration_cast<std::chrono::seconds>(end - std::chrono::steady_clock::now());
      if (compilation.unit->language != instrument::Language::Cuda ||
          (limit.count() != 0 && left.count() < 1))
        return;
      compilation.run(limit.count() == 0 ? limit : left);
    });
  }

  /// Its CUDA units; nothing where a unit does not compile.
  [[nodiscard]] std::optional<std::vector<CompiledUnit>> cudaUnitsOf(std::size_t number) const {
    std::vector<CompiledUnit> units;
    for (const std::size_t object : objects_[number]) {
      const UnitCompile &compilation = compilations_[object];
      if (compilation.unit->language != instrument::Language::Cuda)
        continue;
      if (!compilation.succeeded)
        return std::nullopt;
      units.push_back({compilation.object, compilation.log});
    }
    return units;
  }

  /// \param number  of the version, in the order in which they were added
  [[nodiscard]] Result<void> link(const GpuVersion &version, std::size_t number) const {
    Words words = linkCommand();
    for (const std::size_t object : objects_[number]) {
      const UnitCompile &compilation = compilations_[object];
      if (!compilation.succeeded)
        return fail(Code::NotBuiltForGpu,
                    fmt::format("'{}' does not compile: '{}' has the compiler's words",
                                compilation.unit->file, compilation.log));
      words.push_back(compilation.object);
    }
    words.insert(words.end(), version.linkWords.begin(), version.linkWords.end());
    words.insert(words.end(), {"-o", version.output});
    const std::string log = version.output + ".link.txt";
    const auto result = runProcess({.command = words, .outputFile = log});
    if (result && result->succeeded())
      return {};
    return fail(Code::NotBuiltForGpu,
                fmt::format("the link by nvcc {}; '{}' has its words",
                            result ? result->describe() : result.error().text, log));
  }

private:
  [[nodiscard]] Words wordsOf(const instrument::CompileCommand &unit,
                              const UnitVersion &version) const {
    Words words = asGiven(unit, version);
    return version.hasProbes ? inDialectOfProbes(std::move(words)) : words;
  }

  [[nodiscard]] Words asGiven(const instrument::CompileCommand &unit,
                              const UnitVersion &version) const {
    const bool isCuda = unit.language == instrument::Language::Cuda;
    if (hasOwnCompiler(unit)) {
      Words words = buildWords(unit, version);
      if (isCuda && isNvcc(words.front()))
        addFurther(words);
      return words;
    }
    Words flags = unit.flags;
    if (isCuda)
      addFurther(flags);
    Words words = nvccFor(nvcc_, flags);
    words.insert(words.begin() + 1, version.flags.begin(), version.flags.end());
    words.insert(words.end(), {"-c", version.source});
    return words;
  }

  void addFurther(Words &words) const {
    const bool namesGpu = namesGpuIn(words);
    for (const std::string &flag : further_)
      if (!namesGpu || !namesGpuIn({flag}))
        words.push_back(flag);
  }

  /// The compiler and flags of the first CUDA unit, and the libraries of all others.
  [[nodiscard]] Words linkCommand() const {
    const auto first = std::ranges::find(program_.units, instrument::Language::Cuda,
                                         &instrument::CompileCommand::language);
    const instrument::CompileCommand *cuda = first != program_.units.end() ? &*first : nullptr;
    Words words = {nvcc_};
    if (cuda != nullptr && !hasOwnCompiler(*cuda))
      words = nvccFor(nvcc_, linkFlagsOfCuda(cuda->flags));
    else if (cuda != nullptr && isNvcc(cuda->build.words.front())) {
      words = linkFlagsOfCuda(cuda->flags);
      words.insert(words.begin(), cuda->build.words.front());
    }
    std::set<std::string> known;
    for (const instrument::CompileCommand &unit : program_.units)
      for (const std::string &flag : instrument::linkFlagsOf(unit.flags))
        if (&unit != cuda && known.insert(flag).second)
          words.push_back(flag.starts_with("-f") || flag == "-pthread" ? "-Xcompiler=" + flag
                                                                       : flag);
    return words;
  }

  const instrument::Program &program_;
  const std::string &nvcc_;
  std::string folder_;
  Words further_;
  bool isForDevice_ = false;
  std::vector<UnitCompile> compilations_;
  std::vector<std::vector<std::size_t>> objects_; ///< of each version, into the compilations
};

} // namespace

Words sharedRuntimeWords() { return {"-cudart", "shared"}; }

std::vector<UnitVersion> unitsOf(const instrument::Program &program,
                                 const instrument::Program &moved) {
  std::vector<UnitVersion> units;
  for (std::size_t i = 0; i < program.units.size(); ++i)
    units.push_back(versionOf(program.units[i], moved.units[i]));
  return units;
}

std::map<std::string, std::vector<CompiledUnit>>
compileForGpu(const instrument::Program &program, const std::vector<GpuVersion> &versions,
              const std::string &nvcc, const std::string &folder, const Words &further,
              std::chrono::seconds limit) {
  GpuBuilder builder(program, nvcc, folder, further);
  builder.leaveHostCodeOut();
  for (const GpuVersion &version : versions)
    builder.add(version);
  builder.compileCuda(limit);
  std::map<std::string, std::vector<CompiledUnit>> units;
  for (std::size_t i = 0; i < versions.size(); ++i)
    if (auto known = builder.cudaUnitsOf(i))
      units.emplace(versions[i].name, std::move(*known));
  return units;
}

std::map<std::string, Error> buildForGpu(const instrument::Program &program,
                                         const std::vector<GpuVersion> &versions,
                                         const std::string &nvcc, const std::string &folder) {
  GpuBuilder builder(program, nvcc, folder);
  for (const GpuVersion &version : versions)
    builder.add(version);
  builder.compileAll();
  std::vector<std::optional<Error>> failures(versions.size());
  runParallel(versions.size(), 0, [&](std::size_t i) {
    if (auto linked = builder.link(versions[i], i); !linked)
      failures[i] = linked.error();
  });
  std::map<std::string, Error> byName;
  for (std::size_t i = 0; i < versions.size(); ++i)
    if (failures[i])
      byName.emplace(versions[i].name, std::move(*failures[i]));
  return byName;
}

} // namespace relayout::tool
