// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <string>

namespace relayout::tool {

/// "1,234,567".
[[nodiscard]] inline std::string grouped(unsigned long long number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return text;
}

} // namespace relayout::tool
