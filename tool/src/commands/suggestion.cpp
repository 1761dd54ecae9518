// SPDX-License-Identifier: Apache-2.0
// What a misspelt word was probably meant to be: the one with the smallest edit distance.
#include "commands/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace relayout::tool {
namespace {

/// Characters to insert, drop, replace or swap with the next one; case does not count.
std::size_t editDistance(const std::string &a, const std::string &b) {
  const auto same = [&](std::size_t i, std::size_t j) {
    return std::tolower(static_cast<unsigned char>(a[i])) ==
           std::tolower(static_cast<unsigned char>(b[j]));
  };
  std::vector<std::size_t> twoBack, before(b.size() + 1), row(b.size() + 1);
  std::iota(before.begin(), before.end(), 0u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({before[j + 1] + 1, row[j] + 1, before[j] + (same(i, j) ? 0 : 1)});
      if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j))
        row[j + 1] = std::min(row[j + 1], twoBack[j - 1] + 1);
    }
    twoBack = before;
    before = row;
  }
  return before.back();
}

} // namespace

std::string didYouMean(const std::string &word, const std::vector<std::string> &known) {
  const auto nearest = std::ranges::min_element(
      known, {}, [&](const std::string &candidate) { return editDistance(word, candidate); });
  if (nearest == known.end() ||
      editDistance(word, *nearest) > std::max<std::size_t>(1, word.size() / 3))
    return {};
  return fmt::format("; did you mean '{}'?", *nearest);
}

} // namespace relayout::tool
