// SPDX-License-Identifier: Apache-2.0
// Places of elements under a permutation of their digits.
#include "relayout/analysis/layout/element_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace relayout::analysis {
namespace {

Result<void> check(const ElementOrder &order) {
  std::vector<std::uint32_t> sorted = order.digits;
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> all(order.extents.size() + 1);
  std::iota(all.begin(), all.end(), 0u);
  if (sorted != all)
    return fail(Code::InvalidOrder,
                fmt::format("an order of {} digits names other digits, or one twice",
                            order.extents.size() + 1));
  if (!order.texts.empty() && order.texts.size() != order.extents.size())
    return fail(Code::InvalidOrder, "an order has another number of texts than of extents");
  if (!order.multiples.empty() && order.multiples.size() != order.digits.size())
    return fail(Code::InvalidOrder, "an order has another number of multiples than of digits");
  for (const std::uint64_t extent : order.extents)
    if (extent < 2)
      return fail(Code::InvalidOrder, fmt::format("a digit of an order has extent {}", extent));
  if (std::ranges::find(order.multiples, 0) != order.multiples.end())
    return fail(Code::InvalidOrder, "a digit of an order is rounded up to multiples of 0");
  return {};
}

} // namespace

Result<ElementPlaces> ElementPlaces::bind(const ElementOrder &order, std::uint64_t elements) {
  ElementPlaces places;
  places.count_ = elements;
  if (order == ElementOrder{})
    return places;
  if (const Result<void> checked = check(order); !checked)
    return tl::unexpected(checked.error());
  bool overflowed = false;
  std::uint64_t lower = 1; // elements that differ in the digits below the highest alone
  for (const std::uint64_t extent : order.extents)
    overflowed |= __builtin_mul_overflow(lower, extent, &lower);
  const std::uint64_t highest = elements == 0 || overflowed ? 1 : (elements - 1) / lower + 1;
  places.digits_.resize(order.extents.size());
  std::uint64_t stride = 1;
  for (const std::uint32_t digit : order.digits) {
    const bool isHighest = digit == order.extents.size();
    (isHighest ? places.highestStride_ : places.digits_[digit].stride) = stride;
    const std::uint64_t multiple = order.multipleOf(digit);
    std::uint64_t extent = isHighest ? highest : order.extents[digit];
    overflowed |= __builtin_add_overflow(extent, multiple - 1, &extent);
    overflowed |= __builtin_mul_overflow(stride, extent / multiple * multiple, &stride);
  }
  for (std::size_t d = 0; d < order.extents.size(); ++d) {
    places.digits_[d].extent = order.extents[d];
    places.digits_[d].isConstant = !order.isNamed(d);
  }
  if (overflowed)
    return fail(Code::InvalidOrder, "the extents of an order make a product above 64 bits");
  places.count_ = elements == 0 ? 0 : stride;
  return places;
}

std::string describe(const ElementOrder &order) {
  static constexpr const char *kIndices = "ijklmnopqrstuvw";
  const std::size_t highest = order.extents.size();
  const auto index = [highest](std::size_t digit) { return kIndices[(highest - digit) % 15]; };
  std::string before, after;
  for (std::size_t d = highest + 1; d-- > 0;) {
    before += d == highest ? fmt::format("[{}]", index(d))
              : order.isNamed(d)
                  ? fmt::format("[{}:{}={}]", index(d), order.texts[d], order.extents[d])
                  : fmt::format("[{}:{}]", index(d), order.extents[d]);
    const std::uint32_t multiple = order.multipleOf(order.digits[d]);
    after += multiple == 1 ? fmt::format("[{}]", index(order.digits[d]))
                           : fmt::format("[{} to {}]", index(order.digits[d]), multiple);
  }
  return before + " as " + after;
}

} // namespace relayout::analysis
