// SPDX-License-Identifier: Apache-2.0
// Runs a program again in ways that change nothing which it may rely on.
#include "stages/undefined_original.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

/// What a build without optimisation may take longer, at the very most.
constexpr int kTimesSlower = 30;
constexpr std::chrono::seconds kOfSeconds{20}, kLongest{300};

/// Gives variables of functions that nothing sets other bytes than they have by chance. GCC knows
/// it from 12 on.
constexpr const char *kFillsVariables = "-ftrivial-auto-var-init=pattern";

/// Calls the executor's runtime for indices that an array does not have.
constexpr const char *kChecksIndices = "-fsanitize=bounds";

/// The same sources, compiled without optimisation in a folder of their own.
class Unoptimised {
public:
  explicit Unoptimised(const HostProgram &program) : program_(program) {
    program_.folder += "-unoptimised";
    for (instrument::LoweredUnit &unit : program_.units)
      unit.flags.insert(unit.flags.end(), {"-O0", kChecksIndices, kFillsVariables});
    fs::copy(program.folder, program_.folder, fs::copy_options::recursive, status_);
  }
  Unoptimised(const Unoptimised &) = delete;
  Unoptimised &operator=(const Unoptimised &) = delete;
  ~Unoptimised() {
    std::error_code ignored;
    fs::remove_all(program_.folder, ignored);
  }

  [[nodiscard]] bool build(const InstallPaths &paths) {
    if (status_ || buildHostPrograms({&program_}, paths))
      return !status_;
    for (instrument::LoweredUnit &unit : program_.units)
      std::erase(unit.flags, kFillsVariables);
    return buildHostPrograms({&program_}, paths).has_value();
  }
  [[nodiscard]] const HostProgram &program() const { return program_; }

private:
  HostProgram program_;
  std::error_code status_ = {};
};

/// What the runtime wrote of an index; nothing where it wrote nothing.
std::optional<SourcePlace> placeIn(const std::string &path) {
  std::ifstream file(path);
  SourcePlace place;
  if (!std::getline(file, place.file) || !(file >> place.line >> place.column))
    return std::nullopt;
  return place;
}

} // namespace

std::optional<UndefinedResults> undefinedResults(const HostProgram &program,
                                                 const std::vector<std::string> &arguments,
                                                 const TraceOptions &running,
                                                 const InstallPaths &paths, OriginalCopies expected,
                                                 const Copies &after, std::chrono::seconds took) {
  TraceOptions options = running;
  options.limit = std::min(kTimesSlower * took + kOfSeconds, kLongest);
  if (running.limit.count() != 0)
    options.limit = std::min(options.limit, running.limit);
  const auto explains = [&](const HostProgram &run) {
    const auto again = runForCopies(run, arguments, options, 1);
    if (!again || again->isEnded)
      return false;
    expected.add(again->copies);
    return expected.countVaries() || expected.compareWith(after).identical();
  };
  options.fillsFreed = true;
  if (explains(program))
    return UndefinedResults{"memory that it has freed holds other bytes"};
  options.fillsFreed = false;
  Unoptimised other(program);
  if (!other.build(paths))
    return std::nullopt;
  options.outOfBoundsFile = other.program().folder + "/out-of-bounds.txt";
  const bool differs = explains(other.program());
  if (auto place = placeIn(options.outOfBoundsFile))
    return UndefinedResults{{}, std::move(*place)};
  if (differs)
    return UndefinedResults{"it is compiled without optimisation and variables that it does not "
                            "set have other values"};
  return std::nullopt;
}

} // namespace relayout::tool
