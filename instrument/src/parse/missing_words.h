// SPDX-License-Identifier: Apache-2.0
// Words that nvcc does without. In `Cast<T>::to<4>(p)` Clang compares `to` with 4 unless `template`
// stands in front of it, where the class depends on T; nor does it look for `distance(p)` in a base
// class that depends on T unless `this->` stands there. Two arrays of variable length are of two
// types to it, though their lengths be written alike: `int (*rows)[n] = (int (*)[n])p` lacks
// `(decltype(rows))`.
#pragma once

#include "parse/written_place.h"
#include "relayout/instrument/clang/front_end.h"

#include <clang/Lex/Token.h>

#include <string>
#include <vector>

namespace relayout::instrument {

/// Where the tokens are written behind which the words are missing.
struct MissingWords {
  WrittenPlaces ofTemplates; ///< `::`, `.` or `->`
  WrittenPlaces ofMembers;
  WrittenPlaces ofPointers; ///< names of variables: behind the next `=`

  [[nodiscard]] bool areNone() const {
    return ofTemplates.empty() && ofMembers.empty() && ofPointers.empty();
  }
  bool operator==(const MissingWords &) const = default;
};

/// Adds those in front of names that nothing says to be templates.
/// \param names  where qualified names begin that Clang found to be of functions
void addMemberTemplates(const std::vector<clang::SourceLocation> &names, ParsedUnit &unit,
                        MissingWords &words);

/// Adds those in front of names that Clang found to be of templates, or of members.
void addMissingWords(const std::vector<clang::SourceLocation> &templates,
                     const std::vector<clang::SourceLocation> &members, ParsedUnit &unit,
                     MissingWords &words);

/// Adds those of pointers to arrays of variable length, by the names of the variables.
void addCasts(const std::vector<clang::SourceLocation> &names, ParsedUnit &unit,
              MissingWords &words);

/// While Clang parses: puts the words in. The text stays.
class WordAdder {
public:
  explicit WordAdder(const MissingWords &words) : words_(words) {}

  /// \returns  what the parser reads behind the token; empty: what is written
  std::string onToken(const clang::Token &token, clang::CompilerInstance &compiler);

private:
  const MissingWords &words_;
  std::string pointer_; ///< whose start value is read next
};

} // namespace relayout::instrument
