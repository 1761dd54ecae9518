// SPDX-License-Identifier: Apache-2.0
// Where a token is written, which is the same each time that a unit is read.
#pragma once

#include <clang/Basic/SourceManager.h>

#include <set>
#include <string>
#include <utility>

namespace relayout::instrument {

/// Files and bytes in them.
using WrittenPlaces = std::set<std::pair<std::string, unsigned>>;

/// Also of a token that is an argument of a macro.
inline std::pair<std::string, unsigned> writtenAt(clang::SourceLocation location,
                                                  const clang::SourceManager &sources) {
  const auto [file, offset] = sources.getDecomposedSpellingLoc(location);
  const auto entry = sources.getFileEntryRefForID(file);
  return {entry ? entry->getName().str() : std::string(), offset};
}

} // namespace relayout::instrument
