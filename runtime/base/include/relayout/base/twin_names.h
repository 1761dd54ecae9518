// SPDX-License-Identifier: Apache-2.0
// GPU tracing: how the twin of a kernel is called, so that reports can name the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace relayout {

inline constexpr std::string_view kTwinSuffix = "_relayoutTwin"; ///< a number follows

/// \param number  another one for each kernel of a unit: overloads have one name
[[nodiscard]] inline std::string twinName(std::string_view kernel, std::uint32_t number) {
  return std::string(kernel) + std::string(kTwinSuffix) + std::to_string(number);
}

/// The demangled name of the kernel whose twin has this one; any other name as it is.
[[nodiscard]] inline std::string withoutTwin(std::string name) {
  if (const std::size_t at = name.find(kTwinSuffix); at != std::string::npos) {
    const std::size_t end = name.find_first_not_of("0123456789", at + kTwinSuffix.size());
    name.erase(at, end == std::string::npos ? end : end - at);
  }
  return name;
}

} // namespace relayout
