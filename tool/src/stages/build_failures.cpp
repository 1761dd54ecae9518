// SPDX-License-Identifier: Apache-2.0
// Why a build failed, where the reason is this machine and not the source.
#include "stages/build_failures.h"

#include <fmt/format.h>

#include <regex>

namespace relayout::tool {
namespace {

struct Symptom {
  const char *pattern; ///< in the words of GCC, Clang, GNU ld, gold, lld or nvcc
  const char *reason;  ///< {} is what the first group matched
};

constexpr const char *kNoLibrary = "(?:cannot find|unable to find library) -l([^ :\\n]+)";

constexpr Symptom kSymptoms[] = {
    {"No space left on device|file system full|Disk quota exceeded|ENOSPC",
     "there is no space left on the disk"},
    {kNoLibrary, "the linker finds no library '{}'; install its development package"},
    {"(?:cannot execute|CreateProcess|error trying to exec) [`'\"]?([^'\"\\n]+)['\"]?: "
     "(?:execvp|posix_spawnp?): No such file",
     "the compiler finds no '{}'; install it"},
    {"([^ \\n]+): (?:command )?not found", "there is no program '{}'; install it"},
    {"(?:cannot open (?:output )?file|error opening|unable to open output file|can't create) "
     "['\"]?([^'\":\\n]+)['\"]?:.*Permission denied",
     "there is no permission to write '{}'"},
    {"([^ \\n']+)'?: Permission denied", "there is no permission for '{}'"},
    {"fatal error: '?([a-z_]+|bits/[a-z_.]+)'?(?: file not found|: No such file)",
     "the C++ standard library's header '{}' is not there; install a C++ compiler with its "
     "library"},
};

} // namespace

std::string missingLibrary(const std::string &buildLog) {
  std::smatch match;
  return std::regex_search(buildLog, match, std::regex(kNoLibrary)) ? match[1].str()
                                                                    : std::string();
}

std::optional<Error> environmentFailure(const std::string &buildLog) {
  for (const Symptom &symptom : kSymptoms) {
    std::smatch match;
    if (!std::regex_search(buildLog, match, std::regex(symptom.pattern)))
      continue;
    const std::string what = match.size() > 1 ? match[1].str() : std::string();
    return Error{
        Code::InstallationIncomplete, fmt::format(fmt::runtime(symptom.reason), what), {}, {}};
  }
  return std::nullopt;
}

} // namespace relayout::tool
