// SPDX-License-Identifier: Apache-2.0
// Everything the tool prints goes through here: results to stdout, the rest to stderr.
#include "reports/console.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace relayout::tool {

void printDiagnostic(const Diagnostic &diagnostic) { fmt::print(stderr, "{}", render(diagnostic)); }

void printDiagnostics(const std::vector<Diagnostic> &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics)
    printDiagnostic(diagnostic);
}

int report(const Error &error) {
  printDiagnostic(toDiagnostic(error));
  return static_cast<int>(diagnosticEntry(error.code).exitCode);
}

void Progress::begin(const std::string &what) {
  end();
  ++current_;
  open_ = true;
  noted_ = false;
  what_ = what;
  start_ = std::chrono::steady_clock::now();
  if (!quiet_)
    draw(what);
}

void Progress::note(const std::string &how) {
  if (!open_ || quiet_ || isatty(STDERR_FILENO) == 0)
    return;
  noted_ = true;
  fmt::print(stderr, "\r\033[K");
  draw(what_ + ": " + how);
}

void Progress::draw(const std::string &what) const {
  fmt::print(stderr, "[{}/{}] {:<58}", current_, stages_, what);
  std::fflush(stderr);
}

void Progress::end() {
  if (!open_)
    return;
  open_ = false;
  if (noted_) {
    fmt::print(stderr, "\r\033[K");
    draw(what_);
  }
  if (!quiet_)
    fmt::print(stderr, " {:6.2f} s\n",
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
}

} // namespace relayout::tool
