// SPDX-License-Identifier: Apache-2.0
// Checks of option values.
#include "reports/option_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace relayout::tool {

CLI::Validator positiveNumber() {
  static constexpr double kMost = 1e12; // more elements or launches than any run has
  const auto check = [](const std::string &text) -> std::string {
    double number = 0;
    const char *end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end && number > 0 && number <= kMost)
      return {};
    return fmt::format("needs a number above 0 and up to {:g}, got '{}'", kMost, text);
  };
  return {check, "POSITIVE"};
}

} // namespace relayout::tool
