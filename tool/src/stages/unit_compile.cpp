// SPDX-License-Identifier: Apache-2.0
// How a unit's build compiles it, for another version of its source.
#include "stages/unit_compile.h"

#include "processes/nvcc.h"
#include "processes/process.h"

#include <filesystem>
#include <set>
#include <string_view>

namespace relayout::tool {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

UnitVersion versionOf(const instrument::CompileCommand &original,
                      const instrument::CompileCommand &moved) {
  const auto further = static_cast<std::ptrdiff_t>(moved.flags.size() - original.flags.size());
  return {fs::absolute(moved.file).string(),
          Words(moved.flags.begin(), moved.flags.begin() + further)};
}

bool hasOwnCompiler(const instrument::CompileCommand &unit) {
  const instrument::BuildCommand &build = unit.build;
  if (build.words.empty())
    return false;
  const fs::path compiler = build.words.front();
  std::error_code status;
  return compiler.has_parent_path() ? fs::exists(fs::path(build.directory) / compiler, status)
                                    : findInPath(compiler.string()).has_value();
}

Words buildWords(const instrument::CompileCommand &unit, const UnitVersion &version) {
  static const std::set<std::string_view> kDropped = {"-MD", "-MMD", "-MP", "-M", "-MM", "-c"};
  static const std::set<std::string_view> kDroppedWithValue = {"-o", "--output-file", "-MF", "-MT",
                                                               "-MQ"};
  const Words &words = unit.build.words;
  Words changed = {words.front()};
  changed.insert(changed.end(), version.flags.begin(), version.flags.end());
  const std::string own = fs::weakly_canonical(unit.file).string();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (kDroppedWithValue.contains(words[i]))
      ++i;
    else if (fs::weakly_canonical(fs::path(unit.build.directory) / words[i]).string() == own)
      changed.push_back(version.source);
    else if (!kDropped.contains(words[i]))
      changed.push_back(words[i]);
  }
  changed.emplace_back("-c");
  return changed;
}

bool compileUnit(const instrument::CompileCommand &unit, Words words, const std::string &object,
                 const std::string &log, std::chrono::seconds limit) {
  words.insert(words.end(), {"-o", object});
  const auto result = runProcess({.command = std::move(words),
                                  .outputFile = log,
                                  .limit = limit,
                                  .folder = unit.build.directory});
  return result && result->succeeded();
}

} // namespace relayout::tool
