// SPDX-License-Identifier: Apache-2.0
// The table of all diagnostics.
#include "relayout/base/diagnostic_codes.h"

#include <algorithm>
#include <cctype>

namespace relayout {
namespace {

constexpr DiagnosticEntry kEntries[] = {
#define DIAGNOSTIC(code, name, severity, exitCode, title, explanation)                             \
  {code, Severity::severity, ExitCode::exitCode, title, explanation},
#include "relayout/base/diagnostics.def"
#undef DIAGNOSTIC
};

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

} // namespace

std::span<const DiagnosticEntry> diagnosticEntries() { return kEntries; }

const DiagnosticEntry &diagnosticEntry(Code code) {
  return kEntries[static_cast<std::size_t>(code) - 1];
}

const char *codeName(Code code) { return code == Code::None ? "" : diagnosticEntry(code).name; }

Code codeNamed(std::string_view name) {
  const auto entry = std::ranges::find_if(kEntries, [&](const DiagnosticEntry &candidate) {
    return equalsIgnoringCase(candidate.name, name);
  });
  return entry == std::end(kEntries) ? Code::None
                                     : static_cast<Code>(entry - std::begin(kEntries) + 1);
}

} // namespace relayout
