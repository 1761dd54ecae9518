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

/// The definition of the object that hands over the site table: a raw string, in pieces, as
/// compilers limit the length of one.
/// \param more  further arguments of its constructor, each behind a comma
[[nodiscard]] std::string registration(const trace::SiteTable &table, const std::string &more = {});

} // namespace relayout::instrument
