// SPDX-License-Identifier: Apache-2.0
// Foundation of every stage: a value or the error that prevented it.
#pragma once

#include "relayout/base/diagnostic_codes.h"

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace relayout {

/// A place in a source file. `line` and `column` count from 1; 0 means unknown.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  bool operator==(const SourcePlace &) const = default;
};

/// A secondary place with its own sentence: where the cause lies, or the way out.
struct Note {
  SourcePlace where;
  std::string text;

  bool operator==(const Note &) const = default;
};

/// Why an operation has no result.
struct Error {
  Code code = Code::None;
  std::string text;  ///< lower case, no full stop; says what was got and what was needed
  SourcePlace where; ///< empty file when the error has no place in a source
  std::vector<Note> notes;
};

template <class T> using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(Code code, std::string text, SourcePlace where = {},
                                                std::vector<Note> notes = {}) {
  return tl::unexpected<Error>(Error{code, std::move(text), std::move(where), std::move(notes)});
}

} // namespace relayout
