// SPDX-License-Identifier: Apache-2.0
// What turns one text into another, line by line: diffs and exported replacements are made of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::instrument {

enum class LineOp : char { Keep = ' ', Remove = '-', Add = '+' };

/// Lines with their newline, so that a missing one at the end is a difference.
[[nodiscard]] std::vector<std::string_view> splitLines(std::string_view text);

/// An edit script: a shortest one where few lines differ. Time and memory grow with the lines and
/// with the square of at most a thousand edits between two lines that occur once on either side.
[[nodiscard]] std::vector<LineOp> editScript(const std::vector<std::string_view> &before,
                                             const std::vector<std::string_view> &after);

/// A run of whole lines that another text replaces.
struct TextChange {
  std::size_t offset = 0; ///< in bytes
  std::size_t length = 0;
  std::string text;
};

/// In order, none touching the next.
[[nodiscard]] std::vector<TextChange> textChanges(std::string_view before, std::string_view after);

} // namespace relayout::instrument
