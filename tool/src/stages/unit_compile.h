// SPDX-License-Identifier: Apache-2.0
// How a unit's build compiles it, for another version of its source.
#pragma once

#include "relayout/instrument/command.h"

#include <chrono>
#include <string>
#include <vector>

namespace relayout::tool {

/// One version of a unit: the file in place of the unit's own, with further flags in front of its
/// build's.
struct UnitVersion {
  std::string source;
  std::vector<std::string> flags;
  bool hasProbes = false;
};

/// The version of a unit that inFolder() made; its further flags are the include folders there.
[[nodiscard]] UnitVersion versionOf(const instrument::CompileCommand &original,
                                    const instrument::CompileCommand &moved);

/// Whether the compiler of the unit's build is known and installed.
[[nodiscard]] bool hasOwnCompiler(const instrument::CompileCommand &unit);

/// The compile as the unit's build has it, of a version and without an object; no dependency files.
/// \param unit  hasOwnCompiler()
[[nodiscard]] std::vector<std::string> buildWords(const instrument::CompileCommand &unit,
                                                  const UnitVersion &version);

/// Runs a compile where the unit's build runs it.
/// \param object  absolute
/// \param log     for the compiler's words
/// \param limit   0: none
[[nodiscard]] bool compileUnit(const instrument::CompileCommand &unit,
                               std::vector<std::string> words, const std::string &object,
                               const std::string &log, std::chrono::seconds limit = {});

} // namespace relayout::tool
