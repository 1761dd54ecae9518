// SPDX-License-Identifier: Apache-2.0
// What the edited programs for the CPU and for the GPU have in common: includes, the site table.
#pragma once

#include "model/program_reader.h"

#include <string>
#include <string_view>

namespace relayout::instrument {

/// Points every include of a user file at that file's edited copy.
void redirectIncludes(const ReadUnit &read);

/// A main file's text behind lines of ours. Lines and the file's name stay those of the original,
/// in messages and in __FILE__ alike.
[[nodiscard]] std::string behind(const std::string &ours, std::string_view text,
                                 const std::string &file);

/// What is put around the text of a unit's main file.
struct TextAround {
  std::string before; ///< lines
  std::string after;
};

/// Applies the edits of a unit, whose lines stay where they were, and adds its files to others.
/// \param folder  of the unit among them: ends with '/', or is empty
/// \returns  the path of the unit's main file
/// \error RL-I12
[[nodiscard]] Result<std::string> addEditedUnit(UnitReading &unit, const TextAround &around,
                                                const std::string &folder, SourceSet &sources);

/// The definition of the object that hands over the site table: a raw string, in pieces, as
/// compilers limit the length of one.
/// \param more  further arguments of its constructor, each behind a comma
[[nodiscard]] std::string registration(const trace::SiteTable &table, const std::string &more = {});

} // namespace relayout::instrument
