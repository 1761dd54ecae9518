// SPDX-License-Identifier: Apache-2.0
// Views whose elements lie in another order than their numbers tell: planes that span the whole
// array, and the element's number, from which each access computes its place. A digit of a
// constant extent takes shifts and masks or multiplications; the others divide by a reciprocal that
// the view has from its allocation. Digits with a pad take as many places as their extent rounded
// up.
#include "header/pointer_storage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

class OrderedStorage : public PointerStorage {
public:
  OrderedStorage(const std::vector<PlaneCode> &planes, const analysis::Layout &layout,
                 const std::string &stem)
      : PointerStorage(planes, layout, /*mayMove=*/true), order_(layout.order),
        extentType_(stem + "Extent") {}

  [[nodiscard]] std::string room() const override { return {}; }
  [[nodiscard]] std::string placeInRoom() const override { return {}; }
  [[nodiscard]] bool scattersRanges() const override { return true; }
  [[nodiscard]] bool allowsConstexpr() const override { return false; }
  [[nodiscard]] std::string tooMany() const override {
    return "@view@::placesOf(count@givenExtents@) >> 31 != 0";
  }

  [[nodiscard]] std::string description() const override {
    return PointerStorage::description() + ", elements " + describe(order_);
  }

  [[nodiscard]] std::string members() const override {
    std::string text = PointerStorage::members() +
                       "  std::ptrdiff_t index_; // of the element the view stands at\n";
    for (std::uint32_t d = 0; d < highest(); ++d)
      if (order_.isNamed(d))
        text += fmt::format("  {} {};\n", extentType_, extent(d));
    for (const std::uint32_t digit : pitches())
      text += fmt::format("  unsigned {}; // {} rounded up to a multiple of {}\n", pitch(digit),
                          valueOf(digit), order_.multipleOf(digit));
    if (needsHighest())
      text += "  unsigned highest_; // extent of the slowest index, rounded up\n";
    return text;
  }

  [[nodiscard]] std::vector<std::string> nulls() const override {
    std::vector<std::string> text = PointerStorage::nulls();
    text.emplace_back("index_()");
    for (std::uint32_t d = 0; d < highest(); ++d)
      if (order_.isNamed(d))
        text.push_back(extent(d) + "()");
    for (const std::uint32_t digit : pitches())
      text.push_back(pitch(digit) + "()");
    if (needsHighest())
      text.emplace_back("highest_()");
    return text;
  }

  [[nodiscard]] std::string advance() const override { return "    index_ += n;\n"; }
  [[nodiscard]] std::string difference() const override { return "a.index_ - b.index_"; }
  [[nodiscard]] std::string comparison(const std::string &sign) const override {
    if (sign == "==")
      return fmt::format("a.{0} == b.{0} && a.index_ == b.index_", first());
    if (sign == "!=")
      return "!(a == b)";
    return fmt::format("a.index_ {} b.index_", sign);
  }

  /// Of one plane without pads, which CUDA can set as a whole.
  [[nodiscard]] std::string filling() const override {
    if (!isPlain() || !needsHighest() || !order_.multiples.empty())
      return {};
    std::string product = "std::size_t(highest_)";
    for (std::uint32_t d = 0; d < highest(); ++d)
      product += " * " + valueOf(d);
    return fmt::format(
        "\n  /// Elements of the whole array; 0 where the view stands at another than "
        "the first.\n"
        "  std::size_t places() const {{ return index_ == 0 ? {} : 0; }}\n",
        product);
  }
  [[nodiscard]] std::string copying(const std::string &, const std::string &) const override {
    return {};
  }

  [[nodiscard]] std::vector<std::string> extentParameters() const override {
    std::vector<std::string> names;
    for (std::uint32_t d = 0; d < highest(); ++d)
      if (order_.isNamed(d))
        names.push_back(fmt::format("extent{}", d));
    return names;
  }

  /// Coordinates are those of the extents that the program has, so that no other may stand in for
  /// one that is zero or too large: the allocation fails.
  [[nodiscard]] std::string types(bool hasCoordinates) const override {
    if (extentParameters().empty())
      return {};
    const char *value = hasCoordinates ? "extent - 1 < 1u << 31 ? unsigned(extent) : 1u << 31"
                                       : "extent - 1 < 1u << 30 ? unsigned(extent) : 1";
    return fmt::format(
        "/// An extent that is known at run time, with what divides numbers below 2^31 by it.\n"
        "struct {0} {{\n"
        "  unsigned value, factor, shift;\n"
        "  {0}() = default;\n"
        "  {0}(unsigned long long extent)\n"
        "      : value({1}), shift(0) {{\n"
        "    while (1u << shift < value)\n"
        "      ++shift;\n"
        "    factor = unsigned((1ull << 32) * ((1ull << shift) - value) / value + 1);\n"
        "  }}\n"
        "  __host__ __device__ unsigned quotient(unsigned number) const {{\n"
        "    return (unsigned((1ull * number * factor) >> 32) + number) >> shift;\n"
        "  }}\n"
        "}};\n\n",
        extentType_, value);
  }

  /// In `int`, as people write it: places are below 2^31, and the compiler may assume that.
  [[nodiscard]] std::string coordinates(const ElementAccess &access) const override {
    const std::vector<std::string> byDigit = strides();
    std::string parameters, brackets, where;
    for (std::uint32_t d = highest() + 1; d-- > 0;) {
      const std::string name = indexOf(d), comma = d == highest() ? "" : ", ";
      parameters += fmt::format("{}int {}", comma, name);
      brackets += fmt::format("[{}]", name);
    }
    for (auto digit = order_.digits.rbegin(); digit != order_.digits.rend(); ++digit) {
      const std::string &stride = byDigit[*digit];
      where += (where.empty() ? "" : " + ") + indexOf(*digit);
      if (stride.find_first_not_of(" *0123456789") == std::string::npos)
        where += stride;
      else
        where += fmt::format(" * int({})", stride.substr(3));
    }
    std::string text =
        fmt::format("  /// Element {} of coordinates inside their extents: its place "
                    "without a division.\n"
                    "  __host__ __device__ {}at({}) const {{\n",
                    brackets, access.reference, parameters);
    return text + fmt::format("    return {};\n  }}\n", atPlace(where, access.isReadOnly));
  }

  /// A subscript inside the row changes one digit. Any other is that of an element elsewhere.
  [[nodiscard]] std::string inRow(std::uint64_t extent, bool isReadOnly) const override {
    if (order_.isNamed(0) || order_.extents.front() != extent)
      return PointerStorage::inRow(extent, isReadOnly);
    return fmt::format("std::size_t(k) < {} ? {} : element(first + k)", extent,
                       atPlace("placeOf(first) + std::size_t(k)" + strides().front(), isReadOnly));
  }

  /// A row of a tile for each value of the digit that is the fastest in memory.
  [[nodiscard]] bool copiesInTiles() const override { return order_.digits.front() != 0; }

  [[nodiscard]] std::uint64_t rowExtent() const override {
    return order_.isNamed(0) ? 0 : order_.extents.front();
  }

  [[nodiscard]] std::string tiling() const override {
    if (!copiesInTiles())
      return {};
    const std::uint32_t fastest = order_.digits.front();
    std::string stride;
    for (std::uint32_t d = 0; d < fastest; ++d)
      stride += (d == 0 ? "" : " * ") + valueOf(d);
    return fmt::format(
               "  /// Of tiles in which copies go: the extent of the fastest index, and rows "
               "of the index that "
               "is\n  /// the fastest here.\n"
               "  __host__ __device__ std::size_t tileWidth() const {{ return {}; }}\n"
               "  __host__ __device__ std::size_t tileStride() const {{ return {}; }}\n"
               "  __host__ __device__ std::size_t tileRows() const {{ return {}; }}\n",
               valueOf(0), stride, fastest == highest() ? "highest_" : valueOf(fastest)) +
           "  /// Where a tile's first element is.\n"
           "  __host__ __device__ std::size_t tilePlace(std::size_t i) const { return placeOf(i); "
           "}\n\n";
  }

  [[nodiscard]] std::string inTile(const std::string &reference, const std::string &element,
                                   bool mayMove) const override {
    if (!copiesInTiles())
      return {};
    return fmt::format(
        "  /// Element i, which is in a tile.\n"
        "  __host__ __device__ {}inTile(std::size_t {}, std::size_t place, unsigned row,\n"
        "                               unsigned column) const {{\n{}"
        "    return ({} + place)[row + column{}];\n  }}\n\n",
        reference, mayMove ? "i" : "",
        mayMove ? "    if (index_ != 0) // tiles are those of the whole array\n"
                  "      return " +
                      element + ";\n"
                : "",
        first(), strides().front());
  }

  [[nodiscard]] std::string placement() const override {
    const std::string head =
        fmt::format("\n  /// Places that `count` elements take: every index runs to its end.\n"
                    "  static std::size_t placesOf(std::size_t count{}) {{\n"
                    "    const std::size_t below = {};\n"
                    "{}",
                    parameters(), below(), limit());
    return head +
           (order_.multiples.empty()
                ? "    return (count + below - 1) / below * below;\n  }\n"
                : fmt::format("    const std::size_t highest = (count + below - 1) / below;\n"
                              "    return {} * {};\n  }}\n",
                              roundedUp("highest", order_.multipleOf(highest())), placesBelow())) +
           PointerStorage::placement();
  }

  [[nodiscard]] std::string helpers() const override {
    std::string text = PointerStorage::helpers() +
                       "  /// Where element i is.\n"
                       "  __host__ __device__ std::size_t placeOf(std::ptrdiff_t i) const {\n"
                       "    const unsigned element = unsigned(index_ + i); // divides faster\n";
    if (extentParameters().empty())
      return text + fmt::format("    return {};\n  }}\n", placeOfElement());
    return text + placeByQuotients() + "  }\n";
  }

protected:
  [[nodiscard]] std::string place(const PlaneCode &) const override { return "placeOf(i)"; }

  [[nodiscard]] std::string parameters() const override {
    std::string text;
    for (const std::string &name : extentParameters())
      text += fmt::format(", const {} &{}", extentType_, name);
    return text;
  }

  [[nodiscard]] std::string countPlaces() const override {
    std::string arguments;
    for (const std::string &name : extentParameters())
      arguments += ", " + name;
    return fmt::format("    count = placesOf(count{});\n", arguments);
  }

  [[nodiscard]] std::string finish() const override {
    std::string text = "    index_ = 0;\n";
    for (const std::string &name : extentParameters())
      text += fmt::format("    {0}_ = {0};\n", name);
    for (const std::uint32_t digit : pitches())
      text += fmt::format("    {} = {};\n", pitch(digit), pitchGiven(digit));
    if (needsHighest())
      text += fmt::format("    highest_ = unsigned(count / ({}));\n", placesBelow());
    return text;
  }

private:
  [[nodiscard]] std::string atPlace(const std::string &place, bool isReadOnly) const {
    return isReadOnly ? fmt::format("relayout_memory::readOnly({}, {})", first(), place)
                      : fmt::format("{}[{}]", first(), place);
  }

  /// Elements that differ in the digits below the highest alone.
  [[nodiscard]] std::string below() const {
    if (extentParameters().empty())
      return std::to_string(constantBelow(highest()));
    std::string product = "std::size_t(1)";
    for (std::uint32_t d = 0; d < highest(); ++d)
      product += order_.isNamed(d) ? fmt::format(" * extent{}.value", d)
                                   : fmt::format(" * {}", order_.extents[d]);
    return product;
  }

  /// Places of those, with their pads.
  [[nodiscard]] std::string placesBelow() const {
    if (order_.multiples.empty())
      return below();
    std::uint64_t constant = 1;
    std::vector<std::string> factors;
    for (std::uint32_t d = 0; d < highest(); ++d)
      if (!order_.isNamed(d))
        constant *= placesOf(d);
      else
        factors.push_back(order_.multipleOf(d) == 1 ? pitchGiven(d) : "(" + pitchGiven(d) + ")");
    if (constant != 1 || factors.empty())
      factors.push_back(std::to_string(constant));
    return fmt::format("{}", fmt::join(factors, " * "));
  }

  /// A statement where the product of extents might wrap.
  [[nodiscard]] std::string limit() const {
    if (extentParameters().size() < 2)
      return {};
    std::string approximate = "1.0";
    for (std::uint32_t d = 0; d < highest(); ++d)
      approximate += order_.isNamed(d) ? fmt::format(" * extent{}.value", d)
                                       : fmt::format(" * {}", order_.extents[d]);
    return fmt::format("    if ({} >= 2147483648.0)\n"
                       "      return std::size_t(1) << 31; // too many\n",
                       approximate);
  }

  /// As describe() calls it.
  [[nodiscard]] std::string indexOf(std::uint32_t digit) const {
    return std::string(1, "ijklmnopqrstuvw"[(highest() - digit) % 15]);
  }

  [[nodiscard]] std::uint32_t highest() const {
    return static_cast<std::uint32_t>(order_.extents.size());
  }
  /// Of an extent, in the view.
  [[nodiscard]] std::string valueOf(std::uint32_t digit) const {
    return order_.isNamed(digit) ? extent(digit) + ".value" : std::to_string(order_.extents[digit]);
  }
  static std::string extent(std::uint32_t digit) { return fmt::format("extent{}_", digit); }

  /// Of a digit with a constant extent.
  [[nodiscard]] std::uint64_t placesOf(std::uint32_t digit) const {
    return (order_.extents[digit] + order_.multipleOf(digit) - 1) / order_.multipleOf(digit) *
           order_.multipleOf(digit);
  }
  static std::string roundedUp(const std::string &value, std::uint32_t multiple) {
    return multiple == 1
               ? value
               : fmt::format("({} + {}) / {} * {}", value, multiple - 1, multiple, multiple);
  }
  /// Digits with a pad whose extent is known at run time.
  [[nodiscard]] std::vector<std::uint32_t> pitches() const {
    std::vector<std::uint32_t> digits;
    for (std::uint32_t d = 0; d < highest(); ++d)
      if (order_.isNamed(d) && order_.multipleOf(d) != 1)
        digits.push_back(d);
    return digits;
  }
  static std::string pitch(std::uint32_t digit) { return fmt::format("pitch{}_", digit); }
  /// As the extents that an allocation is given make it.
  [[nodiscard]] std::string pitchGiven(std::uint32_t digit) const {
    return roundedUp(fmt::format("extent{}.value", digit), order_.multipleOf(digit));
  }

  /// Product of the extents below a digit, all of them constants.
  [[nodiscard]] std::uint64_t constantBelow(std::uint32_t digit) const {
    std::uint64_t product = 1;
    for (std::uint32_t d = 0; d < digit; ++d)
      product *= order_.extents[d];
    return product;
  }

  /// Whether some digit's stride counts the highest one's extent.
  [[nodiscard]] bool needsHighest() const { return order_.digits.back() != highest(); }

  /// By digit, " * 256 * highest_" where the digit's stride is not one.
  [[nodiscard]] std::vector<std::string> strides() const {
    std::vector<std::string> result(order_.digits.size());
    std::uint64_t constant = 1;
    std::string others;
    for (const std::uint32_t digit : order_.digits) {
      result[digit] = (constant == 1 ? std::string() : fmt::format(" * {}", constant)) + others;
      if (digit == highest())
        others += " * highest_";
      else if (!order_.isNamed(digit))
        constant *= placesOf(digit);
      else
        others += " * " + (order_.multipleOf(digit) == 1 ? extent(digit) + ".value" : pitch(digit));
    }
    return result;
  }

  [[nodiscard]] std::string placeOfElement() const {
    std::vector<std::string> terms = strides();
    for (std::uint32_t digit = 0; digit < terms.size(); ++digit) {
      std::string text = "element";
      if (digit != 0)
        text += fmt::format(" / {}", constantBelow(digit));
      if (digit != highest())
        text += fmt::format(" % {}", order_.extents[digit]);
      terms[digit].insert(0, text);
    }
    std::ranges::reverse(terms);
    return fmt::format("{}", fmt::join(terms, " + "));
  }

  /// Digit by digit from the lowest: what is left of the number, divided by the next extent.
  [[nodiscard]] std::string placeByQuotients() const {
    std::string text;
    std::vector<std::string> terms = strides();
    std::string number = "element";
    for (std::uint32_t digit = 0; digit < highest(); ++digit) {
      const std::string rest = fmt::format("rest{}", digit);
      text += order_.isNamed(digit) ? fmt::format("    const unsigned {} = {}.quotient({});\n",
                                                  rest, extent(digit), number)
                                    : fmt::format("    const unsigned {} = {} / {};\n", rest,
                                                  number, order_.extents[digit]);
      terms[digit].insert(0, fmt::format("({} - {} * {})", number, rest,
                                         order_.isNamed(digit)
                                             ? extent(digit) + ".value"
                                             : std::to_string(order_.extents[digit])));
      number = rest;
    }
    terms[highest()].insert(0, number);
    std::ranges::reverse(terms);
    return text + fmt::format("    return {};\n", fmt::join(terms, " + "));
  }

  analysis::ElementOrder order_;
  std::string extentType_;
};

} // namespace

std::unique_ptr<ViewStorage> orderedStorage(const std::vector<PlaneCode> &planes,
                                            const analysis::Layout &layout,
                                            const std::string &stem) {
  return std::make_unique<OrderedStorage>(planes, layout, stem);
}

} // namespace relayout::rewriter
