// SPDX-License-Identifier: Apache-2.0
// The words of a program's text: identifiers, keywords, numbers.
#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace relayout::rewriter {

/// Letters, digits, underscores, and the bytes of letters outside of ASCII.
[[nodiscard]] inline bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

[[nodiscard]] inline std::set<std::string> wordsIn(std::string_view text) {
  std::set<std::string> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    while (at < text.size() && isWordCharacter(text[at]))
      ++at;
    if (at != begin)
      words.emplace(text.substr(begin, at - begin));
  }
  return words;
}

/// A name for a variable that the file does not use.
/// \param skipped  names that other variables have
[[nodiscard]] inline std::string freeName(std::string_view file, const std::string &meaning,
                                          std::size_t skipped = 0) {
  const std::set<std::string> taken = wordsIn(file);
  std::string name = meaning;
  for (int number = 2; taken.count(name) != 0 || skipped-- != 0; ++number)
    name = meaning + std::to_string(number);
  return name;
}

/// The text with what `call` makes of each word, and of each character between words.
template <class Call> [[nodiscard]] std::string withWords(std::string_view text, Call call) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && isWordCharacter(text[at]))
      ++at;
    at = std::max(at, begin + 1);
    result += call(std::string(text.substr(begin, at - begin)));
  }
  return result;
}

} // namespace relayout::rewriter
