// SPDX-License-Identifier: Apache-2.0
// Prints docs/diagnostics.md: `cmake --build BUILD --target diagnostics_page` puts it in place.
#include "relayout/base/diagnostic_codes.h"

#include <fmt/format.h>

namespace {

const char *severityOf(const relayout::DiagnosticEntry &entry) {
  switch (entry.severity) {
  case relayout::Severity::Remark:
    return "remark";
  case relayout::Severity::Warning:
    return "warning";
  case relayout::Severity::Error:
    break;
  }
  return "error";
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a page that cannot be written ends the build.
int main() {
  fmt::print(
      "# Diagnostics\n\n"
      "Generated from `runtime/base/include/relayout/base/diagnostics.def`; `relayout explain "
      "CODE` prints the same.\nEvery error, warning and remark carries a code, whose letter "
      "names the stage: C parse, I instrument,\nX build and run, H CPU executor, T trace, A "
      "analysis, L layout, P plan, B batch, R rewrite, V verify,\nG GPU, M machine, F files, "
      "U usage. The exit code is that of a command that ends with the diagnostic.\n");
  for (const relayout::DiagnosticEntry &entry : relayout::diagnosticEntries())
    fmt::print("\n## {}: {}\n{}, exit code {}. {}\n", entry.name, entry.title, severityOf(entry),
               static_cast<int>(entry.exitCode), entry.explanation);
}
