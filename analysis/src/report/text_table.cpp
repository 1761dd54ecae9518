// SPDX-License-Identifier: Apache-2.0
// Columns of plain text for reports.
#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace relayout::analysis {
namespace {

std::string withSeparators(std::string digits) {
  for (std::size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, 1, ',');
  return digits;
}

} // namespace

std::string TextTable::render(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].title.size());
    for (const auto &row : rows_)
      widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  const auto addLine = [&](const auto &cellOf) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string fill(widths[c] - cellOf(c).size(), ' ');
      line += c == 0 ? "" : "  ";
      line += columns_[c].align == Align::Left ? cellOf(c) + fill : fill + cellOf(c);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  addLine([this](std::size_t c) -> const std::string & { return columns_[c].title; });
  for (const auto &row : rows_)
    addLine([&row](std::size_t c) -> const std::string & { return row[c]; });
  return text;
}

std::string grouped(std::uint64_t number) { return withSeparators(fmt::format("{}", number)); }

std::string scaled(double number) {
  constexpr std::array<const char *, 5> kMagnitudes{"", " k", " M", " G", " T"};
  std::size_t magnitude = 0;
  while (number >= 1000 && magnitude + 1 < kMagnitudes.size()) {
    number /= 1000;
    ++magnitude;
  }
  return fmt::format("{:.3g}{}", number, kMagnitudes[magnitude]);
}

std::string milliseconds(double ns, double largestNs) {
  constexpr double kDigits = 5;
  const double largest = std::max(largestNs * 1e-6, 1e-6);
  const int decimals =
      std::clamp(static_cast<int>(kDigits - 1 - std::floor(std::log10(largest))), 0, 6);
  return fmt::format("{:.{}f}", ns * 1e-6, decimals);
}

std::string signedNumber(double number) {
  const std::string digits = fmt::format("{:.1f}", std::abs(number));
  const std::size_t point = digits.size() - 2;
  const char *sign = number < 0 ? "-" : number > 0 ? "+" : "";
  return fmt::format("{}{}{}", sign, withSeparators(digits.substr(0, point)), digits.substr(point));
}

std::string shortened(const std::string &text, std::size_t width) {
  if (text.size() <= width)
    return text;
  const std::size_t kept = width - 3;
  const std::size_t head = kept / 3; // names differ at their ends more often than at their starts
  return text.substr(0, head) + "..." + text.substr(text.size() - (kept - head));
}

std::string shortenedAmong(const std::vector<std::string> &names, std::size_t index,
                           std::size_t width) {
  const std::string &name = names[index];
  const std::string text = shortened(name, width);
  std::size_t head = 0; // up to where others that would look alike differ
  for (const std::string &other : names)
    if (other != name && shortened(other, width) == text)
      head = std::max<std::size_t>(head, std::ranges::mismatch(name, other).in1 - name.begin() + 1);
  const std::size_t kept = text.size() - std::min<std::size_t>(text.size(), 3);
  if (head <= kept / 3)
    return text;
  const std::size_t tail = kept - std::min(kept, head);
  return head + tail >= name.size()
             ? name
             : name.substr(0, head) + "..." + name.substr(name.size() - tail);
}

std::string wrapped(const std::string &text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::string line(indent, ' ');
  const auto flush = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    lines += line + "\n";
    line.assign(indent, ' ');
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (line.size() > indent && line.size() + (end - begin) > width)
      flush();
    line += text.substr(begin, end - begin) + " ";
    begin = end + 1;
  }
  flush();
  return lines;
}

} // namespace relayout::analysis
