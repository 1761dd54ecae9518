// SPDX-License-Identifier: Apache-2.0
// Asks the C++ runtime library for names.
#include "relayout/base/demangled.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace relayout {

std::string demangled(const std::string &symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : symbol;
}

} // namespace relayout
