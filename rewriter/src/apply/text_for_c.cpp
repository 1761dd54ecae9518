// SPDX-License-Identifier: Apache-2.0
// Follows the conditions of the preprocessor that ask for the language.
#include "apply/text_for_c.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace relayout::rewriter {
namespace {

enum class Lines { Cpp, C, Both };

/// The words of a directive, without the `#`.
std::vector<std::string> directiveIn(const std::string &line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#')
    return {};
  std::istringstream rest(line.substr(hash + 1));
  std::vector<std::string> words;
  for (std::string word; rest >> word;)
    words.push_back(word);
  return words;
}

/// Follows a directive; whether it asks for the language.
bool follow(const std::vector<std::string> &words, std::vector<Lines> &open) {
  if (words.empty())
    return false;
  if (words[0] == "if" || words[0] == "ifdef" || words[0] == "ifndef") {
    const bool asks = words[0] != "if" && words.size() > 1 && words[1] == "__cplusplus";
    open.push_back(!asks ? Lines::Both : words[0] == "ifdef" ? Lines::Cpp : Lines::C);
    return asks;
  }
  if (open.empty())
    return false;
  const bool asks = open.back() != Lines::Both;
  if (words[0] == "endif") {
    open.pop_back();
    return asks;
  }
  if (words[0] == "else" && asks) {
    open.back() = open.back() == Lines::Cpp ? Lines::C : Lines::Cpp;
    return true;
  }
  if (words[0].starts_with("elif"))
    open.back() = Lines::Both;
  return false;
}

} // namespace

std::string textForC(const std::string &text) {
  std::string seen;
  std::vector<Lines> open;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!follow(directiveIn(line), open) && std::ranges::find(open, Lines::Cpp) == open.end())
      seen += line + "\n";
  return seen;
}

} // namespace relayout::rewriter
