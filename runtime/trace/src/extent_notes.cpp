// SPDX-License-Identifier: Apache-2.0
// What host code says of the extents of the array that it allocates next.
#include "relayout/trace/extent_notes.h"

#include <algorithm>
#include <cctype>
#include <ranges>

namespace relayout::trace {
namespace {

/// Of a constant each digit counts, as rows of a type may have one extent twice.
void add(const Extent &extent, std::vector<Extent> &to) {
  const bool isConstant = std::isdigit(static_cast<unsigned char>(extent.text.front())) != 0;
  if (std::ranges::none_of(to, [&](const Extent &known) {
        return known.text == extent.text && (!isConstant || known.digit == extent.digit);
      }))
    to.push_back(extent);
}

} // namespace

std::vector<Extent> ExtentNotes::of(const std::vector<Extent> &factors,
                                    const std::vector<Extent> &others) const {
  std::vector<Extent> known;
  for (const Extent &factor : factors)
    add(factor, known);
  for (const std::vector<Extent> &caller : callers_ | std::views::reverse)
    for (const Extent &factor : caller)
      if (std::ranges::find(others, factor.text, &Extent::text) == others.end())
        add(factor, known);
  for (const Extent &other : others)
    add(other, known);
  return known;
}

} // namespace relayout::trace
