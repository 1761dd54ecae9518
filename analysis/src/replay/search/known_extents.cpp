// SPDX-License-Identifier: Apache-2.0
// Matches extents with the expressions and constants that the allocations noted.
#include "replay/search/known_extents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace relayout::analysis {
namespace {

bool isConstant(const trace::Extent &extent) {
  return std::ranges::all_of(extent.text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string product(const trace::Extent &a, const trace::Extent &b) {
  return fmt::format("{} * {}", a.text, b.text);
}

bool isSame(const trace::Extent &a, const trace::Extent &b) {
  return a.text == b.text && a.value == b.value;
}

} // namespace

KnownExtents::KnownExtents(const trace::Trace &trace, const ReplaySample &sample,
                           trace::Index group)
    : isOfThisRun_(trace.machine.kind == "gpu" &&
                   std::ranges::all_of(trace.allocations, [](const auto &allocation) {
                     return allocation.extents.empty();
                   })) {
  bool isFirst = true;
  for (const ReplayArray &array : sample.stream.arrays) {
    if (array.group != group)
      continue;
    const auto allocation = std::ranges::find_if(trace.allocations, [&](const auto &known) {
      return array.address >= known.address && array.address < known.address + known.bytes;
    });
    if (allocation == trace.allocations.end())
      continue;
    if (std::exchange(isFirst, false))
      extents_ = allocation->extents;
    else
      std::erase_if(extents_, [&](const trace::Extent &extent) {
        return std::ranges::none_of(
            allocation->extents, [&](const trace::Extent &other) { return isSame(extent, other); });
      });
  }
}

KnownExtents::Place KnownExtents::find(std::uint64_t value) const {
  return std::ranges::find(extents_, value, &trace::Extent::value);
}

bool KnownExtents::hasConstant(std::uint64_t value) const {
  return std::ranges::any_of(extents_, [&](const trace::Extent &extent) {
    return extent.value == value && isConstant(extent);
  });
}

std::vector<std::uint64_t> KnownExtents::named() const {
  std::vector<std::uint64_t> values;
  for (const trace::Extent &extent : extents_)
    if (extent.value > 1 && !isConstant(extent) &&
        std::ranges::find(values, extent.value) == values.end())
      values.push_back(extent.value);
  return values;
}

std::size_t KnownExtents::coincidences(const ElementOrder &order, std::uint64_t elements) const {
  for (const std::uint64_t extent : order.extents)
    elements /= extent;
  const bool hasNamedRest = find(elements) != extents_.end();
  std::size_t coincidences = 0;
  for (auto text = order.texts.begin(); text != order.texts.end(); ++text) {
    if (text->empty()) // a constant
      continue;
    const bool isProduct =
        std::ranges::find(extents_, *text, &trace::Extent::text) == extents_.end();
    const bool isRepeated = std::find(order.texts.begin(), text, *text) != text;
    coincidences += isProduct || (isRepeated && !hasNamedRest) ? 1 : 0;
  }
  return coincidences;
}

std::optional<ElementOrder> KnownExtents::inThisRun(ElementOrder order) const {
  for (std::size_t i = 0; i < order.texts.size(); ++i) {
    const std::string &text = order.texts[i];
    if (text.empty()) // a constant
      continue;
    std::uint64_t value = 0;
    for (const trace::Extent &extent : extents_)
      if (extent.text == text)
        value = extent.value;
    for (const trace::Extent &a : extents_)
      for (const trace::Extent &b : extents_)
        if (value == 0 && product(a, b) == text)
          value = a.value * b.value;
    if (value < 2)
      return std::nullopt;
    order.extents[i] = value;
  }
  return order;
}

/// Empty for a constant. Those of the type are extents of their own digits alone.
std::optional<std::string> KnownExtents::nameOf(std::uint64_t value, std::size_t digit) const {
  const Place known = std::ranges::find_if(extents_, [&](const trace::Extent &extent) {
    return extent.value == value && (extent.digit == 0 || !isConstant(extent));
  });
  if (known != extents_.end() && !isConstant(*known)) {
    const Place ofDigit = std::ranges::find_if(extents_, [&](const trace::Extent &extent) {
      return extent.value == value && extent.digit == digit && !isConstant(extent);
    });
    return (ofDigit == extents_.end() ? known : ofDigit)->text;
  }
  // A constant that stands behind both factors of a product is no better than that.
  for (Place factor = extents_.begin(); factor != known; ++factor) {
    if (factor->value < 2 || value % factor->value != 0 || isConstant(*factor))
      continue;
    const Place rest = std::find_if(extents_.begin(), known, [&](const trace::Extent &other) {
      return other.value == value / factor->value;
    });
    if (rest != known)
      return product(*factor, *rest);
  }
  if (known != extents_.end())
    return "";
  for (const trace::Extent &factor : extents_)
    if (isConstant(factor) && factor.value >= 2 &&
        ((value % factor.value == 0 && hasConstant(value / factor.value)) ||
         hasConstant(value * factor.value)))
      return "";
  return std::nullopt;
}

bool KnownExtents::isOfType(std::uint64_t value, std::size_t digit) const {
  return std::ranges::any_of(extents_, [&](const trace::Extent &extent) {
    return extent.value == value && extent.digit == digit && isConstant(extent);
  });
}

bool KnownExtents::name(ElementOrder &order) const {
  order.texts.clear();
  std::size_t named = 0;
  for (const std::uint64_t value : order.extents) {
    if (isOfType(value, order.texts.size() + 1)) {
      order.texts.emplace_back();
      continue;
    }
    const std::optional<std::string> text = nameOf(value, named + 1);
    if (!text && !isOfThisRun_)
      return false;
    order.texts.push_back(text.value_or(""));
    if (text && !text->empty())
      named += text->find(" * ") == std::string::npos ? 1 : 2;
  }
  if (std::ranges::all_of(order.texts, &std::string::empty))
    order.texts.clear();
  return true;
}

} // namespace relayout::analysis
