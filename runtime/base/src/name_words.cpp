// SPDX-License-Identifier: Apache-2.0
// Splits a name where its case changes, and at what is no letter.
#include "relayout/base/name_words.h"

#include <cctype>

namespace relayout {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
bool isUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool isLower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

bool isBreak(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) == 0; }

} // namespace

std::vector<std::string> wordsOf(std::string_view name) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (isBreak(c))
      continue;
    const bool afterBreak = i == 0 || isBreak(name[i - 1]);
    const bool startsWord =
        afterBreak ||
        (isUpper(c) && (!isUpper(name[i - 1]) || (i + 1 < name.size() && isLower(name[i + 1]))));
    if (startsWord)
      result.emplace_back();
    result.back() += lower(c);
  }
  if (result.size() > 1 && result.back() == "t")
    result.pop_back();
  return result;
}

std::string joinedWords(const std::vector<std::string> &words) {
  std::string joined;
  for (const std::string &word : words)
    joined += upper(word.front()) + word.substr(1);
  return joined;
}

} // namespace relayout
