// SPDX-License-Identifier: Apache-2.0
// Writes rows of views: a row is a view and the number of its first element.
#include "header/row_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>

namespace relayout::rewriter {
namespace {

/// The type of rows that take so many subscripts more.
std::string typeOf(const std::string &stem, std::size_t subscripts) {
  return subscripts == 1 ? stem + "Row" : fmt::format("{}Rows{}", stem, subscripts);
}

} // namespace

std::uint64_t rowElements(const RecordShape &shape) {
  return std::accumulate(shape.rows.begin(), shape.rows.end(), std::uint64_t{1},
                         std::multiplies<>());
}

std::string elementAt(const RecordShape &shape, const std::string &number) {
  return shape.rows.empty() ? fmt::format("(*this)[{}]", number)
                            : fmt::format("element({})", number);
}

std::string rowTypes(const RecordShape &shape, const std::string &stem) {
  std::string text;
  std::uint64_t elements = 1; // from one subscript's value to the next
  for (std::size_t subscripts = 1; subscripts <= shape.rows.size(); ++subscripts) {
    const std::string type = typeOf(stem, subscripts);
    const std::string result =
        subscripts == 1 ? "Element &" : typeOf(stem, subscripts - 1) + "<View, Element>";
    const std::string value = subscripts == 1 ? std::string("view_.inRow(first_, k)")
                                              : fmt::format("{{view_, first_ + k * {}}}", elements);
    const std::size_t given = shape.rows.size() - subscripts + 1;
    text +=
        fmt::format("/// Of rows [{0}]: what a view has behind {1}.\n"
                    "template <class View, class Element> class {2} {{\npublic:\n"
                    "  __host__ __device__ {2}(const View &view, std::ptrdiff_t first)\n"
                    "      : view_(view), first_(first) {{}}\n"
                    "  __host__ __device__ {3}{4}operator[](std::ptrdiff_t k) const {{ return "
                    "{5}; }}\n\nprivate:\n  View view_;\n"
                    "  std::ptrdiff_t first_; // element\n}};\n\n",
                    fmt::join(shape.rows, "]["),
                    given == 1 ? std::string("one subscript") : fmt::format("{} subscripts", given),
                    type, result, subscripts == 1 ? "" : " ", value);
    elements *= shape.rows[shape.rows.size() - subscripts];
  }
  return text;
}

std::string rowAccess(const RecordShape &shape, const std::string &stem, const std::string &view,
                      const ElementText &text) {
  const std::string element = text.reference.substr(0, text.reference.size() - 2); // without " &"
  return fmt::format("  __host__ __device__ {0}<{1}, {2}> operator[](std::ptrdiff_t i) const {{\n"
                     "    return {{*this, i * {3}}};\n  }}\n"
                     "  /// Element i of the whole array.\n"
                     "  __host__ __device__ {4}element(std::ptrdiff_t i) const {{ return {5}; }}\n"
                     "  __host__ __device__ {4}inRow(std::ptrdiff_t first, std::ptrdiff_t k) const "
                     "{{\n    return {6};\n  }}\n\n",
                     typeOf(stem, shape.rows.size()), view, element, rowElements(shape),
                     text.reference, text.element, text.inRow);
}

} // namespace relayout::rewriter
