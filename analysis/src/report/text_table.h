// SPDX-License-Identifier: Apache-2.0
// Columns of plain text for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace relayout::analysis {

/// Of a report's lines.
constexpr std::size_t kReportWidth = 100;

/// Rows of cells, each column as wide as its widest cell.
class TextTable {
public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void addRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Lines with two spaces between columns, `indent` spaces before the first, none at the end.
  [[nodiscard]] std::string render(std::size_t indent) const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "1,234,567"
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "1.2 M": a count with three digits and its magnitude.
[[nodiscard]] std::string scaled(double number);

/// "12.346": milliseconds, with as many decimals as give `largestNs`, what stands beside them, five
/// digits.
[[nodiscard]] std::string milliseconds(double ns, double largestNs);

/// "+1,234.5", "-0.3": one decimal and always a sign, but for "0.0".
[[nodiscard]] std::string signedNumber(double number);

/// The text cut to `width` characters, with "..." where its middle was.
[[nodiscard]] std::string shortened(const std::string &text, std::size_t width);

/// A name cut to `width` characters, or as many more as tell it apart from the others.
[[nodiscard]] std::string shortenedAmong(const std::vector<std::string> &names, std::size_t index,
                                         std::size_t width);

/// The text in lines of at most `width` characters, broken at spaces, each behind `indent` spaces.
[[nodiscard]] std::string wrapped(const std::string &text, std::size_t indent, std::size_t width);

} // namespace relayout::analysis
