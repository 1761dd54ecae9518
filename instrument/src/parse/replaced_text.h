// SPDX-License-Identifier: Apache-2.0
// Text that Clang reads in the place of a file, which stays as it is on disk.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

struct ReplacedText {
  std::string path; ///< canonical
  std::string text;
  /// Of each line of `text`, from 1: the line of the file that it stands for.
  std::vector<unsigned> lines;
};

/// What replaces the files on disk after texts that were read in their place were replaced.
[[nodiscard]] std::vector<ReplacedText> replacedAgain(std::vector<ReplacedText> before,
                                                      const std::vector<ReplacedText> &texts);

/// What tells parse() of it among a unit's flags. No compiler knows it: it belongs to a parse
/// alone.
[[nodiscard]] std::string replacingFlag(const ReplacedText &replaced);

/// A flag for texts that stand for others, in which private members become those of views.
inline constexpr const char *kNoAccessControl = "-fno-access-control";

/// Path and text; nothing for other flags.
[[nodiscard]] std::optional<std::pair<std::string, std::string>>
replacedBy(const std::string &flag);

/// Makes places in the unit those of the file on disk. A file with #line has them already.
void keepPlaces(ParsedUnit &unit, const std::vector<ReplacedText> &texts);

} // namespace relayout::instrument
